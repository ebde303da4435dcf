package io.couchjobs;

import static java.util.stream.Collectors.toSet;

import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The problems of held jobs at one moment: they wait for jobs that do not exist.
 *
 * @param index knows which jobs are held
 * @param jobs reads the jobs for which they wait
 */
record HeldProblems(JobIndex index, JobStore jobs) {
    /** So many held jobs are looked at, and so many of the jobs for which each waits. */
    private static final int MOST = 100;

    /** One problem per type. */
    List<Problem> list() {
        List<Job> held = index.firstHeld(MOST);
        List<JobId> awaited =
                held.stream().flatMap(HeldProblems::awaitedBy).distinct().toList();
        Set<JobId> present = jobs.readAll(awaited).stream().map(Job::id).collect(toSet());
        Map<String, List<String>> waiting = new TreeMap<>();
        for (Job job : held) {
            awaitedBy(job).filter(id -> !present.contains(id)).findFirst().ifPresent(missing -> waiting.computeIfAbsent(
                            job.type(), type -> new ArrayList<>())
                    .add(job.id() + " waits for " + missing));
        }
        return waiting.entrySet().stream()
                .map(each -> problem(each.getKey(), each.getValue()))
                .toList();
    }

    private static Stream<JobId> awaitedBy(Job job) {
        return job.after().stream().flatMap(after -> after.jobs().stream()).limit(MOST);
    }

    private static Problem problem(String type, List<String> waiting) {
        String first = waiting.get(0);
        return new Problem(
                type,
                Problem.Level.NOTE,
                waiting.size() == 1
                        ? "job " + first + ", which does not exist"
                        : waiting.size() + " jobs wait for jobs that do not exist: " + first,
                "they wait until those are added and have ended",
                "add those jobs; or run one without them: couchjobs retry " + type + " ID");
    }
}
