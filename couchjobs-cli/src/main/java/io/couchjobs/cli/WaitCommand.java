package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobState;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code wait TYPE ID}: blocks until the job is where it should be. */
@Command(
        name = "wait",
        description = {
            "Wait until a job is finished, or has another state; print its status.",
            "Exit code 5 when the time is over, 1 when the job ended in another way than the one waited for."
        },
        footer = {
            "",
            "Examples:",
            "  couchjobs wait email 42 --timeout 5m",
            "  couchjobs wait email 42 --for success && echo sent"
        })
final class WaitCommand extends QueueCommand {
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    @Mixin
    private final JobName name = new JobName();

    @Option(
            names = "--for",
            paramLabel = "STATE",
            description = "pending, running or finished (default), or a status such as success.")
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
        Set<JobStatus> wanted = wanted();
        Set<JobStatus> ends = EnumSet.copyOf(wanted);
        ends.addAll(ofState(JobState.FINISHED));
        Job job = queue.await(id.type(), id.id(), ends, timeout)
                .orElseThrow(() -> new CommandException(
                        ExitCode.TIMED_OUT, id + " is not " + target + " after " + Durations.format(timeout)));
        output().line(() -> job.status().json(), () -> JobJson.of(job));
        if (wanted.contains(job.status())) {
            return ExitCode.DONE;
        }
        throw new CommandException(
                ExitCode.FAILED, id + " ended as " + job.status().json() + ", not as " + target);
    }

    private Set<JobStatus> wanted() {
        String upper = target.toUpperCase(Locale.ROOT);
        for (JobState state : JobState.values()) {
            if (state.name().equals(upper) && state != JobState.NOT_FOUND) {
                return ofState(state);
            }
        }
        return JobStatus.fromJson(target.toLowerCase(Locale.ROOT))
                .map(EnumSet::of)
                .orElseThrow(() -> CommandException.usage("not a state or status: '" + target
                        + "' (pending, running, finished, " + String.join(", ", statuses()) + ")"));
    }

    private static Set<JobStatus> ofState(JobState state) {
        Set<JobStatus> statuses = EnumSet.allOf(JobStatus.class);
        statuses.removeIf(status -> status.state() != state);
        return statuses;
    }

    private static String[] statuses() {
        return Arrays.stream(JobStatus.values())
                .filter(status -> status != JobStatus.RUNNING)
                .map(JobStatus::json)
                .toArray(String[]::new);
    }
}
