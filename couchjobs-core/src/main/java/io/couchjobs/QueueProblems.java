package io.couchjobs;

import io.couchjobs.engine.trigger.QueueTriggers;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The problems of a queue at one moment, found in its counts, settings and workers.
 *
 * @param counts the job counts by type
 * @param settings the settings of the types that have settings
 * @param workers the workers
 * @param now the server's time
 */
record QueueProblems(
        Map<String, TypeCounts> counts, Map<String, TypeSettings> settings, List<WorkerInfo> workers, Instant now) {
    /** The time after which due jobs that have not been claimed are reported. */
    private static final Duration LATE = Duration.ofMinutes(1);

    /** Returns the problems of types, ordered by type, and then those of workers. */
    List<Problem> list() {
        List<Problem> found = new ArrayList<>();
        new TreeMap<>(counts).forEach((type, numbers) -> look(type, numbers, found));
        workers.stream()
                .filter(worker -> worker.isSilent(now) && !worker.jobs().isEmpty())
                .forEach(worker -> found.add(silent(worker)));
        return List.copyOf(found);
    }

    private void look(String type, TypeCounts numbers, List<Problem> found) {
        long failed = numbers.byStatus().getOrDefault(JobStatus.FAILED, 0L);
        if (failed > 0) {
            found.add(new Problem(
                    type,
                    Problem.Level.NOTE,
                    failed + (failed == 1 ? " job has" : " jobs have") + " failed for good",
                    "they are not retried by themselves",
                    "see why (couchjobs failures), put that right, then retry them"));
        }
        Instant oldest = numbers.oldestPending().orElse(Instant.MAX);
        boolean isOfTriggers = type.equals(QueueTriggers.FOLLOWERS); // TriggerProblems reports on followers
        if (!oldest.isAfter(now) && !isOfTriggers) {
            lookAtDue(type, numbers, oldest, found);
        }
    }

    private static String waiting(TypeCounts numbers) {
        return numbers.pending() == 1 ? "1 job waits" : numbers.pending() + " jobs wait";
    }

    private void lookAtDue(String type, TypeCounts numbers, Instant oldest, List<Problem> found) {
        if (isPaused(type)) {
            found.add(new Problem(
                    type,
                    Problem.Level.NOTE,
                    "paused while " + waiting(numbers),
                    "no worker takes any of them",
                    "resume the type when they may run"));
        } else if (!isRun(type)) {
            found.add(new Problem(
                    type,
                    Problem.Level.PROBLEM,
                    "jobs are due, and no living worker takes this type",
                    waiting(numbers) + " for a worker",
                    "start a worker: couchjobs work " + type + " -- COMMAND, or a program with a handler for it"));
        } else if (Instant.EPOCH.isBefore(oldest) && oldest.plus(LATE).isBefore(now)) {
            found.add(new Problem(
                    type,
                    Problem.Level.NOTE,
                    "jobs have been due for more than a minute",
                    "the workers do not keep up or are dead, or a limit, a class or a filter holds the jobs back",
                    "ask why one of them waits: couchjobs list --type " + type
                            + " --status waiting, and couchjobs explain TYPE ID"));
        }
    }

    private boolean isPaused(String type) {
        TypeSettings known = settings.get(type);
        return known != null && known.isPaused();
    }

    private boolean isRun(String type) {
        return workers.stream().anyMatch(worker -> worker.runs(type, now));
    }

    private boolean isAnybodyThere() {
        return workers.stream().anyMatch(worker -> !worker.isSilent(now));
    }

    private Problem silent(WorkerInfo worker) {
        String takenOver =
                "another worker takes its jobs over when the timeout of their type is over; if none runs, start one";
        return worker.registration().isPresent()
                ? new Problem(
                        "worker " + worker.id(),
                        Problem.Level.PROBLEM,
                        "it gives no sign of life, and owns " + worker.jobs().size() + " jobs",
                        "these jobs may stand still",
                        takenOver)
                : new Problem(
                        "worker " + worker.id(),
                        isAnybodyThere() ? Problem.Level.NOTE : Problem.Level.PROBLEM,
                        "it is not registered, and owns " + worker.jobs().size() + " jobs",
                        "it renews each job by itself, or is dead",
                        "if it lives, nothing; if it is dead, " + takenOver);
    }
}
