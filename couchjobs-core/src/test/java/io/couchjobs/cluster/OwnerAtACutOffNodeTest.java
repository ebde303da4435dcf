package io.couchjobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.couchjobs.JobQueue;
import io.couchjobs.cluster.RealCluster.Deed;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * {@code -Dcouchjobs.cluster.cuts} times (3) a node of a real cluster is cut off with the owner of a job and the creator who waits for
 * it, while the handler runs; another worker is on the other side. {@link RealCluster} says how to name the cluster.
 */
@Tag("cluster")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
@Isolated("stops nodes of the cluster, or cuts them off")
class OwnerAtACutOffNodeTest {
    private static final int TIMES = Integer.getInteger("couchjobs.cluster.cuts", 3);
    private static final String TYPE = "cut";
    private static final Duration LEASE = Duration.ofSeconds(5);

    private final String database = "cut-off-" + UUID.randomUUID();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** What was said of one job, and what stands. */
    private record Told(String id, Optional<Job> creator, String owner, Job end) {
        boolean isWrong() {
            return creator.filter(job -> !isTheEnd(job)).isPresent()
                    || (owner.equals("SUCCEEDED") && !result(end).equals("the owner's"));
        }

        private boolean isTheEnd(Job job) {
            return job.status() == end.status()
                    && job.fence() == end.fence()
                    && result(job).equals(result(end));
        }

        private static String result(Job job) {
            return job.result().map(result -> result.asText()).orElse("");
        }

        @Override
        public String toString() {
            return id + ": the creator was told " + creator.map(Told::result) + ", the owner " + owner + ", it is "
                    + result(end);
        }
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        if (RealCluster.isThere()) {
            try (JobQueue queue = RealCluster.open(database)) {
                queue.database().delete();
            }
        }
    }

    @Test
    void owner_and_creator_are_told_what_stands() throws Exception {
        assumeThat(RealCluster.isThere() && Deed.CUT.isPossible() && Deed.HEAL.isPossible())
                .as("there is a cluster, and commands that cut a node off from the others")
                .isTrue();
        try (JobQueue queue = RealCluster.open(database)) {
            queue.types().change(TYPE, type -> type.withTimeout(LEASE));
        }
        List<Told> all = new ArrayList<>();
        for (int n = 0; n < TIMES; n++) {
            all.add(cutOff("job-" + n, 1 + n % 3));
            System.out.println(all.get(n));
        }
        assertThat(all).noneMatch(Told::isWrong);
    }

    private Told cutOff(String id, int node) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch isCut = new CountDownLatch(1);
        CompletableFuture<String> outcome = new CompletableFuture<>();
        try (JobQueue minority = RealCluster.at(node, database);
                JobQueue majority = RealCluster.at(1 + node % 3, database);
                Worker owner = minority.worker()
                        .onRunEnded(report -> outcome.complete(said(report)))
                        .handler(TYPE, (data, context) -> {
                            begun.countDown();
                            isCut.await();
                            return "the owner's";
                        })
                        .start()) {
            minority.add(JobRequest.builder(TYPE).id(id).data(Map.of()).build());
            Future<Optional<Job>> creator = threads.submit(() -> minority.awaitFinished(TYPE, id, TestQueue.PATIENCE));
            begun.await();
            Deed.CUT.to(node);
            try (Worker other = majority.worker()
                    .handler(TYPE, (data, context) -> "the other's")
                    .start()) {
                assertThat(other.id()).isNotEqualTo(owner.id());
                isCut.countDown();
                TestQueue.until(() -> isSuccess(majority, id));
            } finally {
                Deed.HEAL.to(node);
            }
            Optional<Job> told = creator.get();
            TestQueue.until(() -> RealCluster.conflicts(majority.database()).isEmpty() && isSuccess(majority, id));
            return new Told(id, told, outcome.get(), majority.get(TYPE, id).orElseThrow());
        }
    }

    private static String said(RunReport report) {
        return report.outcome().name();
    }

    private static boolean isSuccess(JobQueue queue, String id) {
        try {
            return queue.get(TYPE, id).orElseThrow().status() == JobStatus.SUCCESS;
        } catch (CouchException nodeIsMissed) {
            return false;
        }
    }
}
