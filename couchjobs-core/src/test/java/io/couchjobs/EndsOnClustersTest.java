package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nobody is told the end of a job, or that it is gone, before a majority of the copies has it. */
@Timeout(120)
class EndsOnClustersTest {
    private static final String DOC_ID = "job:email:1";
    private static final Duration A_MOMENT = Duration.ofMillis(700);

    private final SimulatedCluster cluster = SimulatedCluster.start(3, 4);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void an_end_that_only_a_minority_has_is_told_to_nobody_and_the_true_end_is_told_after_the_cut() throws Exception {
        List<JobChange> changes = new CopyOnWriteArrayList<>();
        List<DocumentChange> heard = new CopyOnWriteArrayList<>();
        try (JobQueue cutOff = at(1);
                JobQueue other = at(0)) {
            claim(other);
            Subscription subscription = cutOff.subscribe("email", "1");
            CompletableFuture<?> ended = subscription.ended();
            var watching = cutOff.watch(JobFilter.all(), changes::add);
            var listening = cutOff.operations().listen(heard::add);

            cluster.stop(0);
            cluster.stop(2);
            end(cutOff, JobStatus.SUCCESS, 1);
            assertThat(subscription.await(JobPhase.FINISHED, A_MOMENT)).isEmpty();
            assertThat(cutOff.awaitFinished("email", "1", A_MOMENT)).isEmpty();
            assertThat(cutOff.get("email", "1").orElseThrow().status())
                    .as("what the minority shows")
                    .isEqualTo(JobStatus.SUCCESS);
            assertThat(ended).isNotDone();
            assertThat(changes).noneMatch(EndsOnClustersTest::isEnd);
            assertThat(heard).noneMatch(EndsOnClustersTest::isEnd);

            cluster.stop(1);
            cluster.start(0);
            cluster.start(2);
            TestQueue.until(() -> other.database().exists());
            end(other, JobStatus.FAILED, 2);
            cluster.start(1);
            try (Worker resolving =
                    other.worker().handler("other", (data, context) -> Map.of()).start()) {
                assertThat(subscription.await(JobPhase.FINISHED, TestQueue.PATIENCE))
                        .as("what is told while %s resolves conflicts", resolving.id())
                        .hasValueSatisfying(event ->
                                assertThat(event.job().orElseThrow().status()).isEqualTo(JobStatus.FAILED));
                assertThat(TestQueue.finished(cutOff, "email", "1").status()).isEqualTo(JobStatus.FAILED);
                TestQueue.until(() -> changes.stream().anyMatch(EndsOnClustersTest::isEnd)
                        && heard.stream().anyMatch(EndsOnClustersTest::isEnd));
            }
            assertThat(changes).noneMatch(change -> change.job()
                    .filter(job -> job.status() == JobStatus.SUCCESS)
                    .isPresent());
            assertThat(heard).noneMatch(event -> event.job()
                    .filter(job -> job.status() == JobStatus.SUCCESS)
                    .isPresent());
            watching.close();
            listening.close();
        }
    }

    @Test
    void a_listener_that_fails_when_it_is_told_an_end_is_not_told_it_once_more() throws Exception {
        AtomicInteger told = new AtomicInteger();
        try (JobQueue queue = at(0);
                JobQueue hears = at(1)) {
            claim(queue);
            claim(queue, "2");
            var listening = hears.operations().listen(change -> {
                if (isEnd(change)) {
                    throw new AssertionError("failure " + told.incrementAndGet());
                }
            });
            end(queue, JobStatus.SUCCESS, 1);
            TestQueue.until(() -> told.get() > 0);
            assertThat(hears.awaitFinished("email", "2", A_MOMENT)).isEmpty();
            assertThat(told).hasValue(1);
            listening.close();
        }
    }

    @Test
    void a_tombstone_of_a_leaf_that_lost_is_told_as_no_removal() throws Exception {
        try (JobQueue queue = at(0)) {
            claim(queue);
            Subscription subscription = queue.subscribe("email", "1");
            ObjectNode running = queue.database().get(DOC_ID).orElseThrow();
            ObjectNode tombstone = JsonNodeFactory.instance.objectNode();
            tombstone.put("_id", DOC_ID).put("_rev", running.path("_rev").asText());
            queue.database().put(tombstone.put("_deleted", true).put("resolved", true));
            assertThat(subscription.await(JobPhase.NOT_FOUND, A_MOMENT)).isEmpty();

            running.remove("lock");
            replicate(running.put("_rev", "2-" + "b".repeat(32)).put("status", "success"));
            assertThat(subscription.await(TestQueue.PATIENCE))
                    .hasValueSatisfying(event -> assertThat(event.phase()).isEqualTo(JobPhase.FINISHED));
        }
    }

    @Test
    void a_branch_that_loses_hides_no_end_by_its_greater_revision_number() throws Exception {
        try (JobQueue queue = at(0)) {
            claim(queue);
            Subscription subscription = queue.subscribe("email", "1");
            CouchDatabase database = queue.database();
            ObjectNode first = database.get(DOC_ID).orElseThrow();
            ObjectNode longer = first.deepCopy();
            longer.put("_rev", "9-" + "a".repeat(32)).putObject("progress").put("percent", 50);
            replicate(longer);
            assertThat(subscription.await(JobPhase.RUNNING, TestQueue.PATIENCE)).isPresent();

            ObjectNode winner = first.deepCopy();
            winner.put("_rev", "5-" + "b".repeat(32))
                    .put("fence", first.path("fence").asInt() + 1);
            winner.remove("lock");
            replicate(winner.put("status", "success"));
            for (String loser :
                    List.of(longer.path("_rev").asText(), first.path("_rev").asText())) {
                ObjectNode tombstone = JsonNodeFactory.instance.objectNode().put("_id", DOC_ID);
                database.put(tombstone.put("_rev", loser).put("_deleted", true).put("resolved", true));
            }
            assertThat(subscription.await(JobPhase.FINISHED, TestQueue.PATIENCE))
                    .isPresent();
        }
    }

    @Test
    void an_end_that_another_process_wrote_is_told_soon_after_two_probes() throws Exception {
        try (JobQueue creator = at(0);
                JobQueue owner = at(2)) {
            assertTold(1, Duration.ofSeconds(5), owner, creator);
            assertThat(wasProbed(creator)).isTrue();
        }
    }

    @Test
    void an_end_that_this_process_wrote_itself_is_told_without_a_probe() throws Exception {
        try (JobQueue queue = at(0)) {
            ClaimedJob claim = claim(queue);
            Subscription subscription = queue.subscribe("email", "1");
            claim.finish();
            assertThat(subscription.await(JobPhase.FINISHED, TestQueue.PATIENCE))
                    .isPresent();
            assertThat(TestQueue.finished(queue, "email", "1").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(wasProbed(queue)).isFalse();
        }
    }

    @Test
    void on_one_copy_the_end_of_another_process_costs_no_request() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                JobQueue creator = JobQueue.builder(couch.url() + "jobs")
                        .renewLeases(false)
                        .open();
                JobQueue owner = JobQueue.builder(couch.url() + "jobs")
                        .renewLeases(false)
                        .open()) {
            ClaimedJob first = claim(owner, "0");
            Subscription following = creator.subscribe("email", "0");
            first.finish();
            assertThat(following.await(JobPhase.FINISHED, TestQueue.PATIENCE)).isPresent(); // now its feed is open
            List<Long> requests = new ArrayList<>();
            for (int i = 1; i <= 5; i++) {
                ClaimedJob claim = claim(owner, String.valueOf(i));
                Subscription subscription = creator.subscribe("email", String.valueOf(i));
                assertThat(subscription.phase()).isEqualTo(JobPhase.RUNNING);
                long before = creator.database().server().requestCount();
                claim.finish();
                assertThat(subscription.await(JobPhase.FINISHED, TestQueue.PATIENCE))
                        .isPresent();
                requests.add(creator.database().server().requestCount() - before);
            }
            assertThat(requests)
                    .as("requests at each end; a feed that connects again needs some")
                    .contains(0L);
        }
    }

    @Test
    void a_job_of_which_nothing_can_be_told_holds_up_no_other() throws Exception {
        try (JobQueue creator = at(0);
                JobQueue owner = at(2)) {
            claim(owner);
            Subscription stuck = creator.subscribe("email", "1");
            ObjectNode tombstone = JsonNodeFactory.instance.objectNode().put("_id", DOC_ID);
            tombstone.put(
                    "_rev",
                    owner.database().get(DOC_ID).orElseThrow().path("_rev").asText());
            owner.database().put(tombstone.put("_deleted", true).put("resolved", true));
            assertThat(stuck.await(Duration.ofSeconds(3))).isEmpty();

            // It is asked about every two to three seconds by now.
            assertTold(4, Duration.ofSeconds(1), owner, creator);
            assertThat(stuck.await(Duration.ZERO)).isEmpty();
        }
    }

    /** So many ends, one after the other, are told soon; a machine that stands still for a moment gets more of them. */
    private static void assertTold(int ends, Duration soon, JobQueue owner, JobQueue creator) throws Exception {
        int told = 0;
        for (int i = 2; told < ends; i++) {
            assertThat(i).as("the end after which none was told soon").isLessThan(20);
            ClaimedJob claim = claim(owner, Integer.toString(i));
            Subscription subscription = creator.subscribe(claim.id());
            long before = System.nanoTime();
            claim.finish();
            assertThat(subscription.await(JobPhase.FINISHED, TestQueue.PATIENCE))
                    .isPresent();
            told = System.nanoTime() - before < soon.toNanos() ? told + 1 : 0;
        }
    }

    @Test
    void a_job_that_is_gone_with_its_database_is_told_to_be_gone() throws Exception {
        try (JobQueue queue = at(0)) {
            claim(queue);
            Subscription subscription = queue.subscribe("email", "1");
            long former = queue.database().info().created();
            TestQueue.until(() -> {
                queue.database().delete();
                queue.database().createIfMissing();
                return queue.database().info().created() != former;
            });
            assertThat(subscription.await(JobPhase.NOT_FOUND, TestQueue.PATIENCE))
                    .isPresent();
        }
    }

    private static boolean isEnd(JobChange change) {
        return change.phase() == JobPhase.FINISHED || change.phase() == JobPhase.NOT_FOUND;
    }

    private static boolean isEnd(DocumentChange event) {
        return event.docId().equals(DOC_ID)
                && (event.isDeleted()
                        || event.job()
                                .map(Job::phase)
                                .filter(JobPhase.FINISHED::equals)
                                .isPresent());
    }

    private static boolean wasProbed(JobQueue queue) {
        return IntStream.range(0, 64)
                .anyMatch(
                        i -> queue.database().get("_local/couchjobs-probe-" + i).isPresent());
    }

    private JobQueue at(int node) {
        return JobQueue.builder(cluster.urls().get(node).resolve("/jobs"))
                .renewLeases(false)
                .open();
    }

    private static ClaimedJob claim(JobQueue queue) throws Exception {
        return claim(queue, "1");
    }

    private static ClaimedJob claim(JobQueue queue, String id) throws Exception {
        queue.add(JobRequest.builder("email").id(id).data(Map.of()).build());
        return queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
    }

    /** As some other process does it. */
    private static void end(JobQueue queue, JobStatus status, int further) {
        ObjectNode running = queue.database().get(DOC_ID).orElseThrow();
        running.put("status", status.json()).put("fence", running.path("fence").asInt() + further - 1);
        running.remove("lock");
        queue.database().put(running);
    }

    /** As the copies of a cluster do it. */
    private void replicate(ObjectNode leaf) throws Exception {
        Replicated.into(cluster.urls().get(0).resolve("/jobs").toString(), leaf);
    }
}
