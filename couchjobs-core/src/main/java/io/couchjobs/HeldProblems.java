package io.couchjobs;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.couchjobs.couch.ViewQuery;
import io.couchjobs.engine.index.HeldIndex;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The problems of held jobs at one moment: jobs that wait in vain for other jobs, or for each other.
 *
 * @param index the index of held jobs
 * @param jobs the store from which awaited jobs are read
 */
record HeldProblems(JobIndex index, JobStore jobs) {
    /** The number of held jobs that are checked, and of awaited jobs that are checked for each of them. */
    private static final int MOST = 100;

    private static final int MOST_NAMED = 5;

    /** The reason why a job waits in vain for another job. */
    private enum Why {
        MISSING(Problem.Level.NOTE, "which does not exist", "jobs that do not exist"),
        MALFORMED(Problem.Level.PROBLEM, "whose document cannot be a job", "jobs whose documents cannot be jobs"),
        FAILED(Problem.Level.NOTE, "which did not succeed", "jobs that did not succeed");

        private final Problem.Level level;
        private final String one;
        private final String several;

        Why(Problem.Level level, String one, String several) {
            this.level = level;
            this.one = one;
            this.several = several;
        }

        private String consequence() {
            return switch (this) {
                case MISSING -> "they wait until those are added and have ended";
                case MALFORMED -> "they wait until those are put right and have ended";
                case FAILED -> "they wait until those are run again and succeed";
            };
        }

        private String remedy(Waiting first) {
            String without = "; or run one without them: " + command("retry", first.job);
            return switch (this) {
                case MISSING -> "add those jobs" + without;
                case MALFORMED -> "see what is wrong with the document: " + command("explain", first.other) + without;
                case FAILED -> "run those again: " + command("retry", first.other) + without;
            };
        }
    }

    /** A job, and another job that it waits for in vain. */
    private record Waiting(JobId job, JobId other, Why why) {}

    /** Returns at most one problem per type and reason, and at most one circle in total. */
    List<Problem> list() {
        List<Job> held = new HeldIndex(index).first(MOST);
        List<JobId> awaited =
                held.stream().flatMap(HeldProblems::awaitedBy).distinct().toList();
        Map<JobId, Job> present = byId(awaited.isEmpty() ? List.of() : jobs.readAll(awaited));
        Set<JobId> malformed =
                stored(awaited.stream().filter(id -> !present.containsKey(id)).toList());
        Map<String, Map<Why, List<Waiting>>> waiting = new TreeMap<>();
        held.forEach(job -> inVain(job, present, malformed)
                .ifPresent(each -> waiting.computeIfAbsent(job.type(), type -> new EnumMap<>(Why.class))
                        .computeIfAbsent(each.why, why -> new ArrayList<>())
                        .add(each)));
        List<Problem> found = new ArrayList<>();
        waiting.forEach((type, reasons) -> reasons.values().forEach(all -> found.add(problem(type, all))));
        circle(byId(held)).map(HeldProblems::ofCircle).ifPresent(found::add);
        return List.copyOf(found);
    }

    private static Map<JobId, Job> byId(List<Job> jobs) {
        return jobs.stream().collect(toMap(Job::id, job -> job, (one, other) -> one, LinkedHashMap::new));
    }

    /** Finds the first job that a job waits for in vain. */
    private static Optional<Waiting> inVain(Job job, Map<JobId, Job> present, Set<JobId> malformed) {
        return awaitedBy(job)
                .flatMap(id -> why(job, Optional.ofNullable(present.get(id)), malformed.contains(id)).stream()
                        .map(why -> new Waiting(job.id(), id, why)))
                .findFirst();
    }

    private static Optional<Why> why(Job job, Optional<Job> other, boolean isMalformed) {
        if (other.isEmpty()) {
            return Optional.of(isMalformed ? Why.MALFORMED : Why.MISSING);
        }
        boolean waitsForSuccess = job.after()
                .filter(after -> after.onFailure() == After.OnFailure.WAIT)
                .isPresent();
        boolean didNotSucceed =
                other.get().phase() == JobPhase.FINISHED && other.get().status() != JobStatus.SUCCESS;
        return waitsForSuccess && didNotSucceed ? Optional.of(Why.FAILED) : Optional.empty();
    }

    /** Returns those ids for which a document exists. */
    private Set<JobId> stored(List<JobId> ids) {
        if (ids.isEmpty()) {
            return Set.of();
        }
        List<String> docIds = ids.stream().map(JobId::docId).toList();
        return jobs.database().view(ViewQuery.allDocs().keys(docIds)).rows().stream()
                .filter(row ->
                        row.value().has("rev") && !row.value().path("deleted").asBoolean())
                .flatMap(row -> JobId.fromDocId(String.valueOf(row.id())).stream())
                .collect(toSet());
    }

    private static Stream<JobId> awaitedBy(Job job) {
        return job.after().stream().flatMap(after -> after.jobs().stream()).limit(MOST);
    }

    /** Finds the first circle of held jobs, in which each job waits for the next. */
    private static Optional<List<JobId>> circle(Map<JobId, Job> held) {
        Set<JobId> done = new HashSet<>();
        return held.values().stream()
                .flatMap(job -> circle(job, held, new LinkedHashSet<>(), done).stream())
                .findFirst();
    }

    private static Optional<List<JobId>> circle(
            Job job, Map<JobId, Job> held, LinkedHashSet<JobId> way, Set<JobId> done) {
        if (way.contains(job.id())) {
            return Optional.of(
                    way.stream().dropWhile(id -> !id.equals(job.id())).toList());
        } else if (!done.add(job.id())) {
            return Optional.empty();
        }
        way.add(job.id());
        Optional<List<JobId>> found = awaitedBy(job)
                .flatMap(id -> Optional.ofNullable(held.get(id)).stream())
                .flatMap(other -> circle(other, held, way, done).stream())
                .findFirst();
        way.remove(job.id());
        return found;
    }

    private static Problem problem(String type, List<Waiting> waiting) {
        Waiting first = waiting.get(0);
        String example = first.job + " waits for " + first.other;
        return new Problem(
                type,
                first.why.level,
                waiting.size() == 1
                        ? "job " + example + ", " + first.why.one
                        : waiting.size() + " jobs wait for " + first.why.several + ": " + example,
                first.why.consequence(),
                first.why.remedy(first));
    }

    private static Problem ofCircle(List<JobId> circle) {
        String waits = ", which waits for ";
        String way = circle.stream().limit(MOST_NAMED).map(JobId::toString).collect(joining(waits))
                + waits
                + (circle.size() > MOST_NAMED ? "another one, and so on, back to " : "")
                + circle.get(0);
        return new Problem(
                circle.get(0).type(),
                Problem.Level.PROBLEM,
                "jobs wait for each other: " + way,
                "none of them ever runs",
                "run one without the others: " + command("retry", circle.get(0)));
    }

    private static String command(String verb, JobId job) {
        return "couchjobs " + verb + " " + job.type() + " " + job.id();
    }
}
