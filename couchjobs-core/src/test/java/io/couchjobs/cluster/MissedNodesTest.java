package io.couchjobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.couchjobs.JobQueue;
import io.couchjobs.cluster.RealCluster.Deed;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.testing.TestQueue;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What a node says of another one that was killed, on which {@code couchjobs doctor} relies. */
@Timeout(300)
@Isolated("stops nodes of the cluster, or cuts them off")
class MissedNodesTest {
    /** Something that is done to a node. */
    @FunctionalInterface
    private interface Act {
        void act() throws Exception;
    }

    @Test
    void a_simulated_node_that_is_killed_is_missed_and_its_copies_are_still_named() throws Exception {
        try (SimulatedCluster copies = SimulatedCluster.start(3, 1);
                JobQueue queue = JobQueue.builder(
                                copies.urls().get(0).resolve("/jobs").toString())
                        .renewLeases(false)
                        .open()) {
            queue.operations().init();
            check(queue.database(), () -> copies.stop(2), () -> copies.start(2));
        }
    }

    @Test
    @Tag("cluster")
    void a_real_node_that_is_killed_is_missed_and_its_copies_are_still_named() throws Exception {
        assumeThat(RealCluster.isThere() && Deed.STOP.isPossible() && Deed.START.isPossible())
                .isTrue();
        try (JobQueue queue = RealCluster.at(1, "missed-" + UUID.randomUUID())) {
            queue.operations().init();
            check(queue.database(), () -> Deed.STOP.to(3), () -> Deed.START.to(3));
            queue.database().delete();
        }
    }

    private static void check(CouchDatabase database, Act stop, Act start) throws Exception {
        TestQueue.until(() -> membership(database).connected().size() == 3);
        CouchServer.Membership whole = membership(database);
        assertThat(whole.connected()).isEqualTo(whole.cluster());
        assertAllNamed(database, whole);
        stop.act();
        try {
            TestQueue.until(() -> membership(database).connected().size() == 2);
            assertThat(membership(database).cluster()).isEqualTo(whole.cluster());
            assertAllNamed(database, whole);
        } finally {
            start.act();
        }
        TestQueue.until(() -> membership(database).connected().size() == 3);
    }

    private static void assertAllNamed(CouchDatabase database, CouchServer.Membership whole) {
        assertThat(database.shards().values()).isNotEmpty().allSatisfy(nodes -> assertThat(nodes)
                .containsExactlyInAnyOrderElementsOf(whole.cluster()));
    }

    private static CouchServer.Membership membership(CouchDatabase database) {
        return database.server().membership();
    }
}
