package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.worker.SteppedMonitor;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How jobs are taken from dead owners where a monitor may be cut off, or a job have several leaves. */
@ServerTest
class MonitorsOnClustersTest {
    private final PretendedCluster cluster = new PretendedCluster();
    private TestDatabase database;
    private Proxy proxy;
    private JobQueue queue;
    private JobQueue single;

    @BeforeEach
    void open(TestDatabase own) {
        database = own;
        proxy = Proxy.before(own.server());
        proxy.detour(cluster);
        queue = TestQueue.open(proxy.door(own));
        single = TestQueue.open(own);
    }

    @AfterEach
    void close() {
        proxy.clear();
        queue.close();
        single.close();
        proxy.close();
    }

    private static JobQueue second(SimulatedCluster copies) {
        return JobQueue.builder(copies.urls().get(1).resolve("/jobs"))
                .renewLeases(false)
                .open();
    }

    /** The owners fall silent, and then the other nodes. */
    private static void outlive(SteppedMonitor monitor, SimulatedCluster copies) {
        monitor.look();
        monitor.outlastTheTimeout();
        copies.stop(0);
        copies.stop(2);
    }

    @Test
    void a_monitor_that_reaches_no_majority_takes_no_job() throws Exception {
        try (SimulatedCluster copies = SimulatedCluster.start(3, 4);
                JobQueue cutOff = second(copies);
                SteppedMonitor monitor = new SteppedMonitor(cutOff)) {
            claimed(cutOff);
            outlive(monitor, copies);
            monitor.look();
            assertThat(job(cutOff).status()).isEqualTo(JobStatus.RUNNING);
            assertThat(monitor.recovered()).isZero();
            copies.start(0);
            copies.start(2);
            TestQueue.until(() -> {
                monitor.look();
                return monitor.recovered() == 1;
            });
            assertThat(job(cutOff).status()).isEqualTo(JobStatus.WAITING);
        }
    }

    @Test
    void a_monitor_that_reaches_no_majority_asks_no_more_for_many_jobs_of_a_part_than_for_one() throws Exception {
        try (SimulatedCluster copies = SimulatedCluster.start(3, 4);
                JobQueue cutOff = second(copies);
                SteppedMonitor monitor = new SteppedMonitor(cutOff)) {
            for (int i = 0; i < 20; i++) {
                cutOff.add(JobRequest.builder("email")
                        .id("job-" + i)
                        .data(Map.of())
                        .build());
                assertThat(cutOff.claim(new JobId("email", "job-" + i))).isPresent();
            }
            outlive(monitor, copies);
            long before = cutOff.database().server().requestCount();
            monitor.look();
            assertThat(cutOff.database().server().requestCount() - before).isLessThan(35);
        }
    }

    @Test
    void a_monitor_that_reaches_no_majority_makes_pauses_for_a_single_job_too() throws Exception {
        try (SimulatedCluster copies = SimulatedCluster.start(3, 4);
                JobQueue cutOff = second(copies);
                SteppedMonitor monitor = new SteppedMonitor(cutOff)) {
            claimed(cutOff);
            outlive(monitor, copies);

            assertThat(monitor.pauseAfterLook()).isGreaterThanOrEqualTo(Duration.ofMillis(100));
            assertThat(monitor.pauseAfterLook()).isGreaterThanOrEqualTo(Duration.ofMillis(200));
        }
    }

    @Test
    void with_one_copy_of_each_document_no_majority_is_asked_for() throws Exception {
        assumeTrue(single.database().info().copies() == 1, "the server is a cluster");
        claimed();
        try (SteppedMonitor monitor = new SteppedMonitor(single)) {
            monitor.look();
            monitor.outlastTheTimeout();
            monitor.look();
            assertThat(monitor.recovered()).isEqualTo(1);
        }
        assertThat(IntStream.range(0, 64).mapToObj(i -> "_local/couchjobs-probe-" + i))
                .noneMatch(probe -> single.database().get(probe).isPresent());
    }

    @Test
    void the_claim_of_a_dead_owner_is_withdrawn_when_there_are_other_leaves() throws Exception {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server's _bulk_get has the winning leaf only");
        ClaimedJob claim = claimed();
        ObjectNode other = claim.job().toDocument().put("_rev", "1-" + "e".repeat(32));
        ((ObjectNode) other.get("lock")).put("token", "other");
        Replicated.into(database, other);
        try (SteppedMonitor monitor = new SteppedMonitor(queue)) {
            monitor.look();
            monitor.outlastTheTimeout();
            monitor.look();
            assertThat(monitor.recovered()).isZero();
        }
        assertThat(cluster.sent()).singleElement().satisfies(sent -> {
            assertThat(sent.path("lock").path("token").asText()).isEqualTo(claim.token());
            assertThat(sent.path("status").asText()).isEqualTo("running");
        });
        assertThat(cluster.sawWithdrawal("expired")).isTrue();
    }

    /** A tombstone stays a leaf for ever when the job is added again on another one. */
    @Test
    void the_claim_of_a_dead_owner_expires_beside_a_tombstone_of_an_earlier_life_of_the_job() throws Exception {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server's _bulk_get has the winning leaf only");
        ClaimedJob claim = claimedInSecondLife();
        Replicated.into(database, tombstone(claim.fence() - 2));
        outlive();
        assertThat(job().status()).isEqualTo(JobStatus.WAITING);
        assertThat(job().expirations()).isEqualTo(1);
        assertThat(cluster.sawWithdrawal("expired")).isFalse();
        assertThat(queue.claim(job().id())).isPresent();
    }

    @Test
    void the_claim_of_a_dead_owner_is_withdrawn_beside_a_tombstone_that_would_have_contested_it() throws Exception {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server's _bulk_get has the winning leaf only");
        ClaimedJob claim = claimedInSecondLife();
        Replicated.into(database, tombstone(claim.fence() - 1));
        outlive();
        assertThat(cluster.sawWithdrawal("expired")).isTrue();
    }

    private ClaimedJob claimedInSecondLife() throws Exception {
        claimed();
        single.remove("email", "1");
        return claimed();
    }

    private static ObjectNode tombstone(long fence) {
        return Jobs.json(
                "{'_id':'job:email:1','_rev':'1-" + "d".repeat(32) + "','_deleted':true,'fence':" + fence + "}");
    }

    private void outlive() {
        try (SteppedMonitor monitor = new SteppedMonitor(queue)) {
            monitor.look();
            monitor.outlastTheTimeout();
            monitor.look();
        }
    }

    @Test
    void a_claim_that_was_withdrawn_does_not_expire() throws Exception {
        claimed();
        ObjectNode document = job().toDocument();
        ((ObjectNode) document.get("lock")).putObject("withdrawn").put("at", 1).put("reason", "no quorum");
        single.database().put(document);
        try (SteppedMonitor monitor = new SteppedMonitor(queue)) {
            monitor.look();
            monitor.outlastTheTimeout();
            monitor.look();
            assertThat(monitor.recovered()).isZero();
        }
        assertThat(cluster.sent()).isEmpty();
    }

    private ClaimedJob claimed() throws Exception {
        return claimed(single);
    }

    private static ClaimedJob claimed(JobQueue where) throws Exception {
        where.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        return where.accept(AcceptOptions.of("email").timeout(Duration.ZERO)).get(0);
    }

    private Job job() {
        return job(single);
    }

    private static Job job(JobQueue where) {
        return where.get("email", "1").orElseThrow();
    }
}
