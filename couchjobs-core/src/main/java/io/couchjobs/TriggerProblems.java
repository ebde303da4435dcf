package io.couchjobs;

import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.trigger.QueueTriggers;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerStatus;
import io.couchjobs.trigger.Triggers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The problems of a queue's triggers at one moment.
 *
 * @param triggers the triggers; their statuses are read
 * @param jobs the store with the jobs of the trigger followers
 * @param workers the workers
 * @param now the server's time
 */
record TriggerProblems(Triggers triggers, JobStore jobs, List<WorkerInfo> workers, Instant now) {
    /** The time that another process may take to start following a trigger. */
    private static final Duration HANDOVER = Duration.ofMinutes(1);

    private static final long LARGE_LAG = 10_000;

    /** Returns the problems of malformed triggers first, then those of the others by name. */
    List<Problem> list() {
        List<Problem> found = new ArrayList<>();
        triggers.malformed().values().forEach(problem -> found.add(malformed(problem)));
        triggers.statuses().forEach(status -> look(status, found));
        return List.copyOf(found);
    }

    private void look(TriggerStatus status, List<Problem> found) {
        if (status.trigger().isEnabled()) {
            lookAtEnabled(status, found);
        }
        if (status.errors() > 0) {
            lookAtErrors(status.trigger().name(), found);
        }
    }

    private void lookAtEnabled(TriggerStatus status, List<Problem> found) {
        Trigger trigger = status.trigger();
        if (jobs.site().owns(trigger.site().orElse(null)) && isUnfollowed(status)) {
            found.add(unfollowed(trigger));
        }
        List<TriggerStatus.Source> troubled = status.all().stream()
                .filter(source -> source.problem().isPresent())
                .toList();
        if (!troubled.isEmpty()) {
            found.add(troubled(trigger, troubled));
        }
        if (status.lag() >= LARGE_LAG && trigger.period().isEmpty()) {
            found.add(late(status));
        }
    }

    private boolean isUnfollowed(TriggerStatus status) {
        return status.follower().isEmpty()
                && jobs.read(new JobId(QueueTriggers.FOLLOWERS, status.trigger().name()))
                        .map(this::waitsForLong)
                        .orElse(true);
    }

    private boolean waitsForLong(Job follower) {
        return follower.times().values().stream()
                .noneMatch(time -> time.plus(HANDOVER).isAfter(now));
    }

    private void lookAtErrors(String trigger, List<Problem> found) {
        List<TriggerStatus.Failure> errors = errors(trigger);
        if (!errors.isEmpty()) {
            TriggerStatus.Failure newest = errors.get(errors.size() - 1);
            found.add(new Problem(
                    name(trigger),
                    Problem.Level.NOTE,
                    errors.size() + (errors.size() == 1 ? " change has" : " changes have")
                            + " failed, such as document " + newest.docId() + " of " + newest.database() + ": "
                            + newest.reason(),
                    "they are not tried again by themselves",
                    "see why (couchjobs trigger errors " + trigger + "), put that right, then try again (--retry)"));
        }
    }

    private List<TriggerStatus.Failure> errors(String trigger) {
        try {
            return triggers.errors(trigger);
        } catch (NotFoundException removedMeanwhile) {
            return List.of();
        }
    }

    private static Problem malformed(String problem) {
        return new Problem(
                "malformed trigger",
                Problem.Level.PROBLEM,
                problem,
                "the changes of its source make no jobs",
                "put the document right, put the trigger anew, or remove it (couchjobs trigger remove)");
    }

    private Problem unfollowed(Trigger trigger) {
        boolean hasWorkers = workers.stream().anyMatch(worker -> !worker.isSilent(now));
        return new Problem(
                name(trigger.name()),
                hasWorkers ? Problem.Level.PROBLEM : Problem.Level.NOTE,
                hasWorkers ? "no process follows it though there are workers" : "no process follows it",
                "the changes of " + trigger.source() + " wait there",
                trigger.connection()
                        .map(name -> "start a worker in a process that knows the connection " + name)
                        .orElse("start a worker of this version, of any type"));
    }

    private static Problem troubled(Trigger trigger, List<TriggerStatus.Source> sources) {
        TriggerStatus.Source first = sources.get(0);
        String others = sources.size() == 1 ? "" : " (and " + (sources.size() - 1) + " more databases)";
        return new Problem(
                name(trigger.name()),
                Problem.Level.PROBLEM,
                first.database() + ": " + first.problem().orElseThrow() + others,
                "changes make their jobs late, or ends are not written back",
                "put that right; the follower tries again by itself");
    }

    private static Problem late(TriggerStatus status) {
        return new Problem(
                name(status.trigger().name()),
                Problem.Level.NOTE,
                status.lag() + " changes wait",
                "the follower does not keep up, or the queue has no room",
                "let the server select (a selector), follow from now (couchjobs trigger replay "
                        + status.trigger().name() + " --from now), or give it time");
    }

    private static String name(String trigger) {
        return "trigger " + trigger;
    }
}
