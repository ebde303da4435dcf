package io.couchjobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.couchjobs.JobQueue;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.cluster.RealCluster.Deed;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Collections of garbage around a real node that was away, and has jobs as they were before they ended. */
@Tag("cluster")
@Timeout(300)
@Isolated("stops nodes of the cluster, or cuts them off")
class PurgesOnClustersTest {
    private static final int JOBS = 20;

    private final String database = "purges-" + UUID.randomUUID();
    private JobQueue queue;

    @BeforeEach
    void open() {
        assumeThat(RealCluster.isThere() && Deed.STOP.isPossible() && Deed.START.isPossible())
                .isTrue();
        queue = RealCluster.at(1, database);
    }

    @AfterEach
    void close() {
        if (queue != null) {
            queue.database().delete();
            queue.close();
        }
    }

    @Test
    void jobs_that_ended_while_a_node_was_away_do_not_come_back_with_it() throws Exception {
        queue.addAll(IntStream.range(0, JOBS)
                .mapToObj(n ->
                        JobRequest.builder("email").id("" + n).data(Map.of()).build())
                .toList());
        try (JobQueue there = RealCluster.at(3, database)) {
            TestQueue.until(() -> there.database().info().docCount() >= JOBS);
        }
        Deed.STOP.to(3);
        GarbageCollection.Report whileAway;
        try {
            for (ClaimedJob job : queue.accept(AcceptOptions.of("email").max(JOBS))) {
                job.finish();
            }
            IntStream.range(0, JOBS).forEach(n -> queue.remove("email", "" + n));
            whileAway = collect();
        } finally {
            Deed.START.to(3);
        }
        TestQueue.until(() -> queue.database().server().membership().connected().size() == 3);

        assertThat(whileAway.tombstonesPurged()).isZero();
        assertThat(whileAway.problems())
                .singleElement()
                .asString()
                .contains("tombstones stay: a node of the cluster does not answer");
        TestQueue.until(() -> collect().tombstonesPurged() > 0);
        TestQueue.until(() -> {
            assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ofMillis(100))))
                    .isEmpty();
            return collect().tombstonesKept() == 0;
        });
        for (int node : List.of(1, 2, 3)) {
            try (JobQueue there = RealCluster.at(node, database)) {
                assertThat(there.types().counts()).doesNotContainKey("email");
            }
        }
    }

    private GarbageCollection.Report collect() throws InterruptedException {
        return TestQueue.gc(queue).keepTombstones(Duration.ZERO).run();
    }
}
