package io.couchjobs;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.registry.Registry;
import io.couchjobs.engine.registry.WorkerRegistration;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WorkerInfo;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The problem of a database that has lost its name, for example because it was restored by replication: no worker runs its jobs.
 *
 * @param database the database
 * @param index the index of the jobs by site
 * @param now the server's time
 */
record SiteProblems(CouchDatabase database, JobIndex index, Instant now) {
    /**
     * Returns no problem if any job here, even a finished one, has no site: then the database needs no name, and other databases
     * may run the jobs with sites.
     */
    List<Problem> list() {
        if (index.site().name() != null) {
            return List.of();
        }
        Map<String, Map<JobStatus, Long>> jobs = index.counts().bySite();
        if (jobs.containsKey("")) {
            return List.of();
        }
        Map<String, Long> unfinished = unfinished(jobs);
        if (!unfinished.isEmpty()) {
            unfinished.keySet().removeAll(served());
        }
        return unfinished.isEmpty() ? List.of() : List.of(problem(unfinished));
    }

    private static Map<String, Long> unfinished(Map<String, Map<JobStatus, Long>> jobs) {
        Map<String, Long> unfinished = new TreeMap<>();
        jobs.forEach((site, byStatus) -> byStatus.forEach((status, number) -> {
            if (status.phase() != JobPhase.FINISHED) {
                unfinished.merge(site, number, Long::sum);
            }
        }));
        return unfinished;
    }

    /** Returns the sites of living workers. */
    private Set<String> served() {
        return Registry.read(database).stream()
                .filter(worker -> !new WorkerInfo(worker.id(), Registry.info(worker), List.of()).isSilent(now))
                .map(WorkerRegistration::site)
                .collect(toSet());
    }

    private static Problem problem(Map<String, Long> unfinished) {
        String sites = unfinished.entrySet().stream()
                .map(site -> site.getKey() + " " + site.getValue())
                .collect(joining(", "));
        return new Problem(
                "site",
                Problem.Level.NOTE,
                "this database has no name, and all its jobs are of sites; unfinished: " + sites,
                "no worker here takes them; a database that is restored by replication has lost its name",
                "if it is one of these sites, name it again: couchjobs init --site NAME, with --home if it was home;"
                        + " then start its workers again");
    }
}
