package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.JobStatus;
import io.couchjobs.store.TypeCounts;
import io.couchjobs.store.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** What people should know: what the numbers say of each type, and what the checks found. Thread-safe. */
final class Problems {
    private static final Duration FRESH = Duration.ofSeconds(2);
    private static final Duration CHECKED = Duration.ofSeconds(15);
    /** How long jobs may be due before somebody should look. */
    private static final Duration LATE = Duration.ofMinutes(1);

    private final JobQueue queue;
    private final Counts counts;
    private final Types types;
    private final Workers workers;
    private final Cached<List<Problem>> signs;
    private final Cached<List<Problem>> checks;

    Problems(JobQueue queue, Supplier<List<Problem>> checks, Counts counts, Types types, Workers workers) {
        this.queue = queue;
        this.counts = counts;
        this.types = types;
        this.workers = workers;
        this.signs = new Cached<>(FRESH, this::look, queue.designDocuments()::building);
        this.checks = new Cached<>(CHECKED, checks, queue.designDocuments()::building);
    }

    /** {@return how many things are to be put right by what the numbers say, without the slower checks} */
    long count() {
        return signs.get().stream()
                .filter(sign -> sign.level() == Problem.Level.PROBLEM)
                .count();
    }

    ObjectNode json() {
        ObjectNode json = Call.JSON.createObjectNode().put("now", Clock.now(queue));
        ArrayNode problems = json.putArray("problems");
        signs.get().forEach(sign -> problems.add(json(sign)));
        checks.get().forEach(found -> problems.add(json(found)));
        return json;
    }

    private static ObjectNode json(Problem problem) {
        return Call.JSON
                .createObjectNode()
                .put("name", problem.name())
                .put("level", problem.level().name().toLowerCase(Locale.ROOT))
                .put("finding", problem.finding())
                .put("consequence", problem.consequence())
                .put("remedy", problem.remedy());
    }

    private List<Problem> look() {
        List<Problem> found = new ArrayList<>();
        long now = Clock.now(queue);
        counts.byType().forEach((type, numbers) -> look(type, numbers, now, found));
        workers.all().stream()
                .filter(worker -> worker.isSilent(Instant.ofEpochMilli(now))
                        && !worker.jobs().isEmpty())
                .forEach(worker -> found.add(silent(worker)));
        return List.copyOf(found);
    }

    private void look(String type, TypeCounts numbers, long now, List<Problem> found) {
        long failed = numbers.byStatus().getOrDefault(JobStatus.FAILED, 0L);
        if (failed > 0) {
            found.add(new Problem(
                    type,
                    Problem.Level.NOTE,
                    failed + (failed == 1 ? " job has" : " jobs have") + " failed for good",
                    "nobody tries again by themselves",
                    "see why, put that right, then retry them"));
        }
        Instant oldest = numbers.oldestPending().orElse(Instant.MAX);
        if (oldest.isAfter(Instant.ofEpochMilli(now))) {
            return;
        }
        if (types.isPaused(type)) {
            found.add(new Problem(
                    type,
                    Problem.Level.NOTE,
                    "paused while " + Counts.pending(numbers) + " jobs wait",
                    "no worker takes any of them",
                    "resume the type when they may run"));
        } else if (!workers.anyRuns(type, now)) {
            found.add(new Problem(
                    type,
                    Problem.Level.PROBLEM,
                    "jobs are due, and no living worker takes this type",
                    Counts.pending(numbers) + " jobs wait for a worker",
                    "start a worker: couchjobs work " + type + " -- COMMAND, or a program with a handler for it"));
        } else if (oldest.plus(LATE).isBefore(Instant.ofEpochMilli(now))) {
            found.add(new Problem(
                    type,
                    Problem.Level.NOTE,
                    "jobs have been due for more than a minute",
                    "the workers do not keep up, or a limit holds the jobs back",
                    "start more workers, or raise their concurrency or the limits of the type"));
        }
    }

    private static Problem silent(WorkerInfo worker) {
        return new Problem(
                "worker " + worker.id(),
                Problem.Level.PROBLEM,
                worker.registration().isPresent()
                        ? "it gives no sign of life, and owns " + worker.jobs().size() + " jobs"
                        : "it is not registered, and owns " + worker.jobs().size() + " jobs",
                "these jobs may stand still",
                "another worker takes them over when the timeout of their type is over; if none runs, start one");
    }
}
