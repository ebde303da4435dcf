package io.couchjobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.couchjobs.JobQueue;
import io.couchjobs.cluster.RealCluster.Deed;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.TypeCounts;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Four worker processes, {@code -Dcouchjobs.cluster.jobs} jobs (1000), {@code -Dcouchjobs.cluster.contested} jobs (500) that four
 * creators make at the same time, and a real cluster of three nodes, which {@link
 * RealCluster} says how to name. Skipped where there is none.
 */
@Tag("cluster")
@Isolated("stops nodes of the cluster, or cuts them off")
class RealClusterTest {
    private static final int JOBS = Integer.getInteger("couchjobs.cluster.jobs", 1_000);
    private static final Duration PATIENCE = Duration.ofSeconds(Integer.getInteger("couchjobs.cluster.patience", 300));
    /** How long conflicts may take to be resolved when all jobs are done. */
    private static final Duration SETTLING = Duration.ofSeconds(Integer.getInteger("couchjobs.cluster.settling", 60));

    private static final TypeCounts ALL_SUCCEEDED = new TypeCounts(Map.of(JobStatus.SUCCESS, (long) JOBS), null);

    private static final int CONTESTED = Integer.getInteger("couchjobs.cluster.contested", 500);
    private static final int CREATORS = 4;
    private static final int AT_ONCE = Integer.getInteger("couchjobs.cluster.batch", 10);

    private final String database = "cluster-check-" + UUID.randomUUID();
    private final List<Process> workers = new ArrayList<>();
    private JobQueue queue;
    private Path journal;

    /** Something that a test does to the cluster while jobs are run. */
    @FunctionalInterface
    private interface Trouble {
        void make() throws IOException, InterruptedException;
    }

    @BeforeEach
    void open(@TempDir Path folder) {
        assumeThat(RealCluster.isThere())
                .as(RealCluster.URLS + " names three nodes, or COUCHJOBS_CLUSTER says containers and there is Docker")
                .isTrue();
        journal = folder.resolve("journal");
        queue = RealCluster.open(database);
        queue.types().change(ClusterWorker.TYPE, type -> type.withTimeout(Duration.ofSeconds(30)));
    }

    @AfterEach
    void close() throws Exception {
        workers.forEach(Process::destroyForcibly);
        if (queue != null) {
            queue.database().delete();
            queue.close();
        }
    }

    @Test
    void each_job_runs_exactly_once_when_workers_ask_different_nodes() throws Exception {
        startWorkers(List.of(1, 2, 3, 1));
        runAll(() -> {});
        assertThat(journal().values()).allSatisfy(runs -> assertThat(runs).hasSize(1));
    }

    @Test
    void no_job_is_lost_when_a_node_is_killed_and_comes_back() throws Exception {
        assumeThat(Deed.STOP.isPossible() && Deed.START.isPossible()).isTrue();
        startWorkers(List.of(0, 0, 0, 0));
        runAll(() -> {
            Deed.STOP.to(2);
            pass(Duration.ofSeconds(5));
            Deed.START.to(2);
        });
    }

    @Test
    void no_job_is_lost_when_a_node_freezes_for_20_seconds() throws Exception {
        assumeThat(Deed.FREEZE.isPossible() && Deed.THAW.isPossible()).isTrue();
        startWorkers(List.of(0, 0, 0, 0));
        runAll(() -> during(Deed.FREEZE, Deed.THAW, Duration.ofSeconds(20)));
    }

    @Test
    void no_job_is_lost_when_a_node_is_cut_off_for_60_seconds() throws Exception {
        assumeThat(Deed.CUT.isPossible() && Deed.HEAL.isPossible())
                .as("there are commands that cut a node off from the others")
                .isTrue();
        startWorkers(List.of(1, 2, 3, 3));
        runAll(() -> during(Deed.CUT, Deed.HEAL, Duration.ofSeconds(60)));
    }

    /**
     * A creator that adds a finished job begins another life of it, so there may be as many runs as creators. An inserted job has
     * one run, unless its owner was too slow for its lease; and never two at a time.
     */
    @Test
    void four_creators_who_make_the_same_jobs_at_the_same_moment_have_none_of_them_run_twice_at_a_time()
            throws Exception {
        startWorkers(List.of(1, 2, 3, 1));
        List<String> ids = IntStream.range(0, CONTESTED)
                .mapToObj(n -> (n % 2 == 0 ? "added-" : "inserted-") + n)
                .toList();
        long begin = System.nanoTime();
        makeTogether(ids);
        awaitAll(CONTESTED);
        double seconds = (System.nanoTime() - begin) / 1e9;
        boolean clean = awaited(() -> RealCluster.conflicts(queue.database()).isEmpty(), SETTLING);
        report(CONTESTED, seconds);

        Map<String, List<Journal.Run>> runs = journal();
        assertThat(runs.keySet()).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(Journal.overlaps(runs)).as("runs of one job that overlap").isEmpty();
        assertThat(runs.values()).allSatisfy(ofJob -> assertThat(ofJob).hasSizeLessThanOrEqualTo(CREATORS));
        System.out.println(
                "runs of jobs that were only inserted, and how many jobs had so many: " + runsOfInserted(runs));
        assertThat(clean).as("no conflict is left").isTrue();
    }

    private static Map<Integer, Long> runsOfInserted(Map<String, List<Journal.Run>> runs) {
        return runs.entrySet().stream()
                .filter(job -> job.getKey().startsWith("inserted"))
                .collect(Collectors.groupingBy(job -> job.getValue().size(), TreeMap::new, Collectors.counting()));
    }

    private void makeTogether(List<String> ids) throws Exception {
        CyclicBarrier together = new CyclicBarrier(CREATORS);
        ExecutorService creators = Executors.newFixedThreadPool(CREATORS);
        try {
            List<Future<Void>> all = new ArrayList<>();
            for (int creator = 0; creator < CREATORS; creator++) {
                int node = 1 + creator % 3;
                all.add(creators.submit(() -> make(ids, node, together)));
            }
            for (Future<Void> one : all) {
                one.get();
            }
        } finally {
            creators.shutdownNow();
        }
    }

    private @Nullable Void make(List<String> ids, int node, CyclicBarrier together) throws Exception {
        try (JobQueue own = RealCluster.at(node, database)) {
            for (int first = 0; first < ids.size(); first += 2) {
                together.await();
                own.add(request(ids.get(first)));
                own.insert(List.of(request(ids.get(first + 1))));
            }
        }
        return null;
    }

    @Test
    void a_waiting_worker_is_woken_whichever_node_is_killed() throws Exception {
        assumeThat(Deed.STOP.isPossible() && Deed.START.isPossible()).isTrue();
        wakeWithout(Deed.STOP, Deed.START);
    }

    @Test
    void a_waiting_worker_is_woken_whichever_node_is_frozen() throws Exception {
        assumeThat(Deed.FREEZE.isPossible() && Deed.THAW.isPossible()).isTrue();
        wakeWithout(Deed.FREEZE, Deed.THAW);
    }

    private void wakeWithout(Deed deed, Deed undo) throws Exception {
        startWorkers(List.of(0));
        for (int node = 1; node <= 3; node++) {
            String id = deed + "-" + node;
            deed.to(node);
            try {
                long added = System.nanoTime();
                addUntilItIsSaid(List.of(request(id)));
                long said = System.nanoTime();
                assertThat(awaited(() -> journal().containsKey(id), PATIENCE))
                        .as("%s ran", id)
                        .isTrue();
                long begun = journal().get(id).get(0).begin();
                System.out.printf(
                        "%s: added within %d ms, begun %d ms after that%n",
                        id, (said - added) / 1_000_000, (begun - said) / 1_000_000);
            } finally {
                undo.to(node);
            }
        }
    }

    /** A job that was made without one node is read without another one: that may leave one copy of its attachment. */
    @Test
    void large_data_is_there_whichever_node_is_killed() throws Exception {
        assumeThat(Deed.STOP.isPossible() && Deed.START.isPossible()).isTrue();
        List<JobRequest> made = new ArrayList<>();
        for (int node = 1; node <= 3; node++) {
            JobRequest large = JobRequest.builder("large")
                    .id("without-" + node)
                    .data(Map.of("text", ("node " + node + " ").repeat(10_000)))
                    .build();
            Deed.STOP.to(node);
            try {
                addUntilItIsSaid(List.of(large));
                made.add(large);
                assertThat(made).allSatisfy(request -> assertThat(awaited(() -> isReadAs(request), PATIENCE))
                        .as("%s is read as it was made", request.id())
                        .isTrue());
                AcceptOptions patiently = AcceptOptions.of("large").timeout(PATIENCE);
                ClaimedJob claim = queue.accept(patiently).get(0);
                assertThat(claim.data()).isEqualTo(large.data());
                claim.finish("done");
            } finally {
                Deed.START.to(node);
            }
        }
    }

    private boolean isReadAs(JobRequest request) {
        return queue.get(request.id().type(), request.id().id())
                .filter(job -> job.data().equals(request.data()))
                .isPresent();
    }

    private static JobRequest request(String id) {
        return JobRequest.builder(ClusterWorker.TYPE)
                .id(id)
                .data(Map.of("id", id))
                .build();
    }

    private static void during(Deed deed, Deed undo, Duration time) throws IOException, InterruptedException {
        deed.to(3);
        try {
            pass(time);
        } finally {
            undo.to(3);
        }
    }

    /** Adds the jobs bit by bit, makes trouble after a third of them, and checks what must always hold. */
    private void runAll(Trouble trouble) throws Exception {
        long begin = System.nanoTime();
        add(0, JOBS / 3);
        Thread adding = new Thread(() -> add(JOBS / 3, JOBS), "creator");
        adding.start();
        trouble.make();
        adding.join();
        awaitAll(JOBS);
        double seconds = (System.nanoTime() - begin) / 1e9;
        boolean clean = awaited(() -> RealCluster.conflicts(queue.database()).isEmpty(), SETTLING);
        report(JOBS, seconds);

        Map<String, List<Journal.Run>> runs = journal();
        assertThat(runs).as("jobs that ran").hasSize(JOBS);
        assertThat(Journal.overlaps(runs)).as("runs of one job that overlap").isEmpty();
        assertThat(IntStream.range(0, JOBS).mapToObj(Integer::toString))
                .as("jobs that have not succeeded, as a majority has them")
                .filteredOn(id -> statusOf(id) != JobStatus.SUCCESS)
                .isEmpty();
        // The indexes of a copy that was away may be behind the documents for a while.
        assertThat(awaited(() -> counts().equals(ALL_SUCCEEDED), SETTLING))
                .as("the counts are right in the end")
                .isTrue();
        assertThat(clean).as("no conflict is left").isTrue();
    }

    private void add(int from, int to) {
        for (int first = from; first < to; first += AT_ONCE) {
            List<JobRequest> batch = IntStream.range(first, Math.min(to, first + AT_ONCE))
                    .mapToObj(n -> request("" + n))
                    .toList();
            addUntilItIsSaid(batch);
        }
    }

    /** The ids are fixed, so that adding again what may have been added does no harm. */
    private void addUntilItIsSaid(List<JobRequest> batch) {
        for (int attempt = 1; ; attempt++) {
            try {
                queue.addAll(batch);
                return;
            } catch (CouchException e) {
                System.out.println("adding again: " + e.getMessage());
                if (attempt == 20) {
                    throw e;
                }
            }
        }
    }

    private void startWorkers(List<Integer> nodes) throws IOException {
        for (int node : nodes) {
            workers.add(ClusterWorker.start(journal, database, node));
        }
        for (Process worker : workers) {
            assertThat(new BufferedReader(worker.inputReader()).readLine()).isEqualTo("ready");
        }
    }

    private void awaitAll(int jobs) throws Exception {
        boolean done = awaited(
                () -> Optional.ofNullable(counts().byStatus().get(JobStatus.SUCCESS))
                                .orElse(0L)
                        >= jobs,
                PATIENCE);
        if (!done) {
            System.out.println("not all is done after " + PATIENCE + ": " + counts().byStatus());
        }
    }

    private static boolean awaited(Callable<Boolean> holds, Duration patience) throws Exception {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!isSo(holds)) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            pass(Duration.ofMillis(500));
        }
        return true;
    }

    private static boolean isSo(Callable<Boolean> holds) throws Exception {
        try {
            return holds.call();
        } catch (CouchException troubled) {
            return false;
        }
    }

    /** No test of what is in this process: the cluster's own time goes by. */
    private static void pass(Duration time) throws InterruptedException {
        new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private @Nullable JobStatus statusOf(String id) {
        return queue.get(ClusterWorker.TYPE, id).map(Job::status).orElse(null);
    }

    private TypeCounts counts() {
        return queue.types().counts().getOrDefault(ClusterWorker.TYPE, new TypeCounts(Map.of(), null));
    }

    private Map<String, List<Journal.Run>> journal() throws IOException {
        return Journal.read(journal);
    }

    private void report(int jobs, double seconds) throws IOException {
        Map<String, List<Journal.Run>> runs = journal();
        long twice = runs.values().stream().filter(ofJob -> ofJob.size() > 1).count();
        System.out.printf(
                "%d jobs, %.1f s, %d runs, %d jobs ran, %d of them more than once, %d overlaps, %d documents with conflicts,"
                        + " %s%n",
                jobs,
                seconds,
                runs.values().stream().mapToInt(List::size).sum(),
                runs.size(),
                twice,
                Journal.overlaps(runs).size(),
                RealCluster.conflicts(queue.database()).size(),
                counts().byStatus());
    }
}
