package io.couchjobs.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Listening;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Many jobs, run by a fleet whose workers are killed in the middle, and what became of them. */
final class FleetRun {
    static final int JOBS = Integer.getInteger("couchjobs.fleet.jobs", 2_000);
    private static final long SEED = Long.getLong("couchjobs.fleet.seed", 1);
    private static final int KILLS = 9;
    /**
     * A process that gets no processor for longer than this loses its lease. It then notes the end of its run after another process has
     * noted the start of the next run, which counts as a violation. No machine is that slow.
     */
    static final Duration LEASE = Duration.ofSeconds(30);

    private final TestDatabase database;
    private final JobQueue queue;
    private final Path folder;
    private final Set<JobId> finished = new HashSet<>();

    FleetRun(TestDatabase database, JobQueue queue, Path folder) {
        this.database = database;
        this.queue = queue;
        this.folder = folder;
    }

    static JobQueue open(TestDatabase database) {
        JobQueue queue = JobQueue.open(Kind.withCredentials(database).toString());
        queue.operations().init();
        queue.types().setTimeout(Kind.TYPE, LEASE);
        return queue;
    }

    /**
     * Adds jobs and has them run.
     *
     * @param count how many
     * @param halfway done when half of the jobs have ended
     */
    Runs of(String what, List<Kind> kinds, int count, Halfway halfway) throws Exception {
        long began = System.nanoTime();
        Listening watching = queue.watch(JobFilter.all().type(Kind.TYPE), this::noted);
        int kills;
        try {
            kills = killingSome(kinds, count, halfway);
        } finally {
            watching.close();
        }
        List<Job> jobs = queue.all(JobFilter.all().type(Kind.TYPE)).toList();
        Runs runs = Runs.read(folder);
        List<String> violations = runs.violations(jobs);
        System.out.printf(
                "%s on %s, seed %d: %d jobs, %d kills, %d re-runs, %d violations, %.0f s, longest pause %.1f s, runs %s%n",
                what,
                database.serverName(),
                SEED,
                jobs.size(),
                kills,
                runs.reRuns(),
                violations.size(),
                (System.nanoTime() - began) / 1e9,
                runs.longestPause() / 1e3,
                runs.shares());
        assertThat(jobs).hasSize(count);
        assertThat(violations).isEmpty();
        assertThat(runs.shares().keySet()).as("who ran some").isEqualTo(Set.copyOf(kinds));
        return runs;
    }

    /** Returns how many workers were killed. */
    private int killingSome(List<Kind> kinds, int count, Halfway halfway) throws Exception {
        try (Fleet fleet = new Fleet(database, folder, kinds, SEED)) {
            Process curl = byCurl(count / 4);
            queue.addAll(IntStream.range(0, count - count / 4)
                    .mapToObj(i -> JobRequest.builder(Kind.TYPE)
                            .id("java-" + i)
                            .data(Map.of("number", i))
                            .build())
                    .toList());
            for (int kill = 1; kill <= KILLS; kill++) {
                awaitFinished((long) count * kill / (KILLS + 1));
                fleet.killOne();
                if (kill == KILLS / 2) {
                    halfway.act();
                }
            }
            assertThat(curl.waitFor()).isZero();
            awaitFinished(count);
            return fleet.kills();
        }
    }

    /** One document per request, as a shell would write it. */
    private Process byCurl(int count) throws IOException {
        String script = "for i in $(seq " + count + "); do curl -sS -f -o /dev/null -X PUT \"$DB/job:" + Kind.TYPE
                + ":curl-$i\" -H 'Content-Type: application/json' -d '{\"data\": {}}' || exit 1; done";
        ProcessBuilder curl = new ProcessBuilder("sh", "-c", script);
        curl.environment().put("DB", Kind.withCredentials(database).toString());
        return curl.inheritIO().start();
    }

    private synchronized void noted(JobChange change) {
        if (change.phase() == JobPhase.FINISHED && finished.add(change.id())) {
            notifyAll();
        }
    }

    private synchronized void awaitFinished(long wanted) throws InterruptedException {
        while (finished.size() < wanted) {
            wait();
        }
    }

    /** The part of a test that comes in the middle. */
    interface Halfway {
        void act() throws Exception;
    }
}
