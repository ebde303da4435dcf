package io.couchjobs;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.couchjobs.couch.ViewQuery;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The problems of held jobs at one moment: they wait for jobs that do not exist or cannot be jobs, or for each other.
 *
 * @param index knows which jobs are held
 * @param jobs reads the jobs for which they wait
 */
record HeldProblems(JobIndex index, JobStore jobs) {
    /** So many held jobs are looked at, and so many of the jobs for which each waits. */
    private static final int MOST = 100;

    private static final int MOST_NAMED = 5;

    /** For each type one problem of missing jobs, one of malformed ones and one of circles at most. */
    List<Problem> list() {
        List<Job> held = index.firstHeld(MOST);
        List<JobId> awaited =
                held.stream().flatMap(HeldProblems::awaitedBy).distinct().toList();
        Set<JobId> wrong = awaited.isEmpty() ? Set.of() : without(awaited, jobs.readAll(awaited));
        Set<JobId> malformed = wrong.isEmpty() ? Set.of() : stored(List.copyOf(wrong));
        Map<String, List<Waiting>> missing = new TreeMap<>();
        Map<String, List<Waiting>> stuck = new TreeMap<>();
        for (Job job : held) {
            awaitedBy(job).filter(wrong::contains).findFirst().ifPresent(other -> (malformed.contains(other)
                            ? stuck
                            : missing)
                    .computeIfAbsent(job.type(), type -> new ArrayList<>())
                    .add(new Waiting(job.id(), other)));
        }
        List<Problem> found = new ArrayList<>();
        missing.forEach((type, waiting) -> found.add(ofMissing(type, waiting)));
        stuck.forEach((type, waiting) -> found.add(ofMalformed(type, waiting)));
        circle(held).map(HeldProblems::ofCircle).ifPresent(found::add);
        return List.copyOf(found);
    }

    /** A job, and one that it waits for in vain. */
    private record Waiting(JobId job, JobId other) {
        String text() {
            return job + " waits for " + other;
        }
    }

    private static Set<JobId> without(List<JobId> ids, List<Job> present) {
        Set<JobId> left = new LinkedHashSet<>(ids);
        present.forEach(job -> left.remove(job.id()));
        return left;
    }

    /** Those of which there is a document. */
    private Set<JobId> stored(List<JobId> ids) {
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

    /** The first circle of held jobs, each of which waits for the next. */
    private static Optional<List<JobId>> circle(List<Job> held) {
        Map<JobId, Job> byId = held.stream().collect(toMap(Job::id, job -> job));
        Set<JobId> done = new LinkedHashSet<>();
        return held.stream()
                .flatMap(job -> circle(job, byId, new LinkedHashSet<>(), done).stream())
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

    private static Problem ofMissing(String type, List<Waiting> waiting) {
        String first = waiting.get(0).text();
        return new Problem(
                type,
                Problem.Level.NOTE,
                waiting.size() == 1
                        ? "job " + first + ", which does not exist"
                        : waiting.size() + " jobs wait for jobs that do not exist: " + first,
                "they wait until those are added and have ended",
                "add those jobs; or run one without them: "
                        + command("retry", waiting.get(0).job()));
    }

    private static Problem ofMalformed(String type, List<Waiting> waiting) {
        String first = waiting.get(0).text();
        return new Problem(
                type,
                Problem.Level.PROBLEM,
                waiting.size() == 1
                        ? "job " + first + ", whose document cannot be a job"
                        : waiting.size() + " jobs wait for jobs whose documents cannot be jobs: " + first,
                "they wait until those are put right and have ended",
                command("explain", waiting.get(0).other()) + " tells what is wrong with the document");
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
