package io.couchjobs;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Jobs that wait for jobs that do not exist.
 *
 * @param index knows the held jobs
 * @param jobs has the jobs for which they wait
 */
record HeldProblems(JobIndex index, JobStore jobs) {
    /** More are not looked at. */
    private static final int MOST = 100;

    /** One per type. */
    List<Problem> list() {
        List<Job> held = index.firstHeld(MOST);
        List<JobId> awaited =
                held.stream().flatMap(HeldProblems::awaitedBy).distinct().toList();
        Set<JobId> present = jobs.readAll(awaited).stream().map(Job::id).collect(toSet());
        List<Problem> found = new ArrayList<>();
        held.stream()
                .filter(job -> missing(job, present).isPresent())
                .collect(groupingBy(Job::type, TreeMap::new, toList()))
                .forEach((type, waiting) -> found.add(problem(type, waiting, present)));
        return found;
    }

    private static Stream<JobId> awaitedBy(Job job) {
        return job.after().stream().flatMap(after -> after.jobs().stream()).limit(MOST);
    }

    private static Optional<JobId> missing(Job job, Set<JobId> present) {
        return awaitedBy(job).filter(id -> !present.contains(id)).findFirst();
    }

    private static Problem problem(String type, List<Job> waiting, Set<JobId> present) {
        Job first = waiting.get(0);
        String example = first.id() + " waits for "
                + missing(first, present).map(JobId::toString).orElse("");
        return new Problem(
                type,
                Problem.Level.NOTE,
                waiting.size() == 1
                        ? "job " + example + ", which does not exist"
                        : waiting.size() + " jobs wait for jobs that do not exist: " + example,
                "they wait until those are added and have ended",
                "add those jobs; or run one without them: couchjobs retry " + type + " ID");
    }
}
