package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NotFoundException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code wait TYPE ID}: waits until a job is finished, or in another given state. */
@Command(
        name = "wait",
        description = {
            "Wait until a job is finished, or is as --for says; print its status.",
            "Exit code 0 when it is, 1 when it ended in another way, 3 when there is no such job or it was removed,",
            "5 when the time is over. A restart of the server does not matter. On a cluster an end counts when",
            "a majority of the copies has it: at a node that is cut off the command waits on."
        },
        footer = {
            "  couchjobs wait email 42 --timeout 5m",
            "  couchjobs wait email 42 --for success && echo sent",
            "  couchjobs wait email 42 -o json | jq .result",
            "  couchjobs wait email 42 --for removed"
        })
final class WaitCommand extends QueueCommand implements TellsIds {
    private static final Duration FOR_EVER = Duration.ofDays(36_500);
    private static final String REMOVED = "removed";

    @Mixin
    private final JobName name = new JobName();

    @Option(
            names = "--for",
            paramLabel = "STATE",
            completionCandidates = EnumNames.Targets.class,
            description = "finished (default: well or badly), pending (waiting or stuck), running (or scheduled),"
                    + " removed (or never there), or a status: waiting, scheduled, stuck, success, failed, cancelled."
                    + " A very short run may go unnoticed.")
    private String target = "finished";

    @Option(names = "--timeout", paramLabel = "D", description = "How long to wait at most; default for ever.")
    private Duration timeout = FOR_EVER;

    @Override
    void check() {
        name.id();
        wanted();
    }

    @Override
    ExitCode run(JobQueue queue) throws InterruptedException {
        JobId id = name.id();
        boolean isThere = queue.get(id.type(), id.id()).isPresent();
        if (root().shell().terminals().err()) {
            root().say("couchjobs: waiting until " + id + " is " + target + ", Ctrl-C to stop");
        }
        try {
            Optional<Job> job = queue.await(id.type(), id.id(), ends(), timeout);
            return ended(job.orElseThrow(() -> tooLate(queue)), queue);
        } catch (NotFoundException gone) {
            if (wantsRemoval()) {
                output().line(() -> REMOVED, () -> JobJson.gone(id));
                return ExitCode.DONE;
            }
            throw isThere ? new CommandException(ExitCode.NOT_FOUND, id + " was removed while waiting for it") : gone;
        }
    }

    private ExitCode ended(Job job, JobQueue queue) {
        output().line(() -> job.status().json(), () -> JobJson.of(queue.withData(job)));
        if (wanted().contains(job.status())) {
            return ExitCode.DONE;
        }
        throw new CommandException(
                ExitCode.FAILED, job.id() + " ended as " + job.status().json() + ", not as " + target);
    }

    private CommandException tooLate(JobQueue queue) {
        Optional<Job> job = queue.get(name.id().type(), name.id().id());
        String status = job.map(there -> there.status().json()).orElse(REMOVED);
        boolean seemsOver = job.map(there -> ends().contains(there.status())).orElse(true);
        if (seemsOver && queue.database().info().copies() > 1) {
            return new CommandException(
                    ExitCode.TIMED_OUT,
                    name.id() + " is " + status
                            + " at this node, but no majority of the copies is in reach that could confirm it, after "
                            + Durations.format(timeout));
        }
        return new CommandException(
                ExitCode.TIMED_OUT,
                name.id() + " is " + status + ", not " + target + ", after " + Durations.format(timeout));
    }

    /** Returns the statuses that end the wait. A finished job always ends the wait, because only its removal can still follow. */
    private Set<JobStatus> ends() {
        if (wantsRemoval()) {
            return Set.of();
        }
        Set<JobStatus> ends = EnumSet.copyOf(wanted());
        ends.addAll(ofPhase(JobPhase.FINISHED));
        return ends;
    }

    private boolean wantsRemoval() {
        return wanted().isEmpty();
    }

    /** Returns the statuses to wait for; empty for the removal. */
    private Set<JobStatus> wanted() {
        return switch (target.toLowerCase(Locale.ROOT)) {
            case "pending" -> ofPhase(JobPhase.PENDING);
            case "running" -> ofPhase(JobPhase.RUNNING);
            case "finished" -> ofPhase(JobPhase.FINISHED);
            case REMOVED, "not_found" -> Set.of();
            default ->
                JobStatus.fromJson(target.toLowerCase(Locale.ROOT))
                        .map(EnumSet::of)
                        .orElseThrow(() -> CommandException.usage(
                                "--for: '" + target + "' is none of " + String.join(", ", new EnumNames.Targets())));
        };
    }

    private static Set<JobStatus> ofPhase(JobPhase phase) {
        Set<JobStatus> statuses = EnumSet.allOf(JobStatus.class);
        statuses.removeIf(status -> status.phase() != phase);
        return statuses;
    }
}
