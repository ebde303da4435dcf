package io.couchjobs;

import static io.couchjobs.testing.Replicated.leaf;
import static io.couchjobs.testing.Replicated.owned;
import static io.couchjobs.testing.Replicated.withdrawn;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.FinishedJobs;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Documents with several leaves, as a cluster or replication leaves them. Two leaves that were just stored may be on different
 * majorities of a cluster's copies, and so may a winner and the tombstone of the other leaf: for a moment a reading shows less.
 */
@ServerTest
class ConflictsTest {
    private static final String JOB = "job:email:1";

    private TestDatabase database;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase fresh) {
        database = fresh;
        queue = TestQueue.open(fresh);
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void a_job_with_conflicts_is_not_claimed_until_they_are_resolved() throws Exception {
        Replicated.into(database, leaf(2, 'a', "'status':'waiting','n':1"), leaf(2, 'b', "'status':'waiting','n':2"));
        assertThat(queue.accept(now())).isEmpty();
        assertThat(queue.operations().conflicts()).containsExactly(JOB);

        TestQueue.until(() -> queue.operations().resolve(JOB));

        TestQueue.until(() -> queue.operations().conflicts().isEmpty());
        List<ClaimedJob> claimed = queue.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(20)));
        assertThat(claimed).hasSize(1);
        assertThat(claimed.get(0).job().toDocument().path("n").asInt()).isEqualTo(2);
        assertThat(claimed.get(0).fence()).isEqualTo(2);
    }

    @Test
    void a_job_whose_conflict_comes_by_the_feed_is_not_claimed_either() throws Exception {
        queue.types().setTimeout("email", Duration.ofMinutes(5));
        assertThat(queue.accept(now())).as("from now on the feed tells").isEmpty();
        Replicated.into(database, leaf(2, 'a', owned("w1", "t1", 1)), leaf(2, 'b', owned("w2", "t2", 1)));
        Replicated.into(database, leaf(3, 'c', "'status':'waiting'"));
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ofMillis(300))))
                .isEmpty();
    }

    @Test
    void the_losing_leaf_becomes_a_tombstone_that_says_why() throws Exception {
        Replicated.into(database, leaf(2, 'a', owned("w1", "t1", 1)), leaf(3, 'b', withdrawn("w2", "t2", 1)));

        TestQueue.until(() -> queue.operations().resolve(JOB));

        List<ObjectNode> leaves = queue.database().leaves(JOB);
        Job job = Job.parse(theOne(leaves, false));
        assertThat(job.isLockedBy("t1")).isTrue();
        ObjectNode tombstone = theOne(leaves, true);
        assertThat(tombstone.at("/resolved/by").asText()).isEqualTo(job.rev().orElseThrow());
        assertThat(tombstone.at("/resolved/why").asText())
                .isEqualTo("a withdrawn claim (fence 0) lost to the claim of worker w1 (fence 1)");
        assertThat(tombstone.path("type").asText()).isEqualTo("email");
        assertThat(queue.operations().conflictStats().resolved()).isEqualTo(1);
    }

    @Test
    void a_job_that_nobody_owns_by_any_of_its_leaves_is_run() throws Exception {
        Replicated.into(database, leaf(3, 'a', withdrawn("w1", "t1", 1)), leaf(3, 'b', withdrawn("w2", "t2", 1)));
        try (Worker worker = worker()) {
            Job done = TestQueue.finished(queue, "email", "1");
            assertThat(done.status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(done.fence()).isEqualTo(1);
            assertThat(done.attempt()).isEqualTo(1);
            assertThat(worker.stats().claimed()).isEqualTo(1);
        }
        assertThat(queue.operations().conflicts()).isEmpty();
    }

    @Test
    void a_reader_has_what_it_saw_resolved() throws Exception {
        Replicated.into(
                database, leaf(4, 'a', "'status':'waiting','fence':2"), leaf(5, 'b', "'status':'waiting','fence':1"));
        assertThat(queue.get("email", "1").orElseThrow().fence()).isEqualTo(1);
        TestQueue.until(() -> queue.get("email", "1").orElseThrow().fence() == 2);
    }

    @Test
    void a_conflict_that_the_feed_shows_is_resolved() throws Exception {
        assertThat(queue.accept(now())).as("from now on the feed tells").isEmpty();
        Replicated.into(database, leaf(2, 'a', "'status':'success','fence':1"), leaf(2, 'b', withdrawn("w2", "t2", 1)));
        TestQueue.until(() -> queue.get("email", "1").orElseThrow().status() == JobStatus.SUCCESS);
        TestQueue.until(() -> queue.operations().conflicts().isEmpty());
    }

    @Test
    void one_of_two_possible_owners_wins_when_it_has_ended_and_the_other_was_withdrawn() throws Exception {
        Replicated.into(database, leaf(2, 'a', owned("w1", "t1", 1)), leaf(2, 'b', owned("w2", "t2", 1)));
        TestQueue.until(() -> {
            assertThat(queue.operations().resolve(JOB)).isFalse();
            return queue.operations().conflictStats().undecided() == 1;
        });
        TestQueue.until(() -> queue.operations().conflicts().equals(List.of(JOB)));

        ObjectNode ended = queue.database().get(JOB, "2-" + "a".repeat(32)).orElseThrow();
        ended.put("status", "success").remove("lock");
        queue.database().put(ended);
        assertThat(queue.operations().resolve(JOB)).as("an owner is left").isFalse();

        ObjectNode withdrawn = queue.database().get(JOB, "2-" + "b".repeat(32)).orElseThrow();
        withdrawn.withObject("/lock/withdrawn").put("at", 5).put("reason", "no quorum");
        queue.database().put(withdrawn);
        TestQueue.until(() -> queue.operations().resolve(JOB));
        TestQueue.until(() -> queue.get("email", "1").orElseThrow().status() == JobStatus.SUCCESS);
        TestQueue.until(() -> queue.operations().conflicts().isEmpty());
    }

    @Test
    void a_removed_job_does_not_come_back_by_a_leaf_that_turns_up_later() throws Exception {
        Replicated.into(database, leaf(2, 'a', "'status':'waiting','fence':3"));
        queue.remove("email", "1");
        Replicated.into(database, leaf(3, 'b', withdrawn("w2", "t2", 4)));
        assertThat(queue.get("email", "1")).isPresent();

        TestQueue.until(() -> queue.operations().resolve(JOB));

        TestQueue.until(() -> queue.get("email", "1").isEmpty());
        ObjectNode removal = queue.database().leaves(JOB).stream()
                .filter(leaf -> !leaf.has("resolved"))
                .findFirst()
                .orElseThrow();
        assertThat(removal.path("fence").asInt()).isEqualTo(4);
        assertThat(removal.path("status").asText()).isEqualTo("waiting");
    }

    @Test
    void a_conflict_of_another_document_of_the_queue_is_resolved_to_the_leaf_that_readers_see() throws Exception {
        queue.types().setTimeout("other", Duration.ofSeconds(5));
        Replicated.into(
                database,
                leaf("type:email", 2, 'a', "'timeout':1000"),
                leaf("type:email", 2, 'b', "'timeout':2000"),
                leaf("invoice:1", 2, 'a', "'n':1"),
                leaf("invoice:1", 2, 'b', "'n':2"));
        assertThat(queue.operations().conflicts())
                .as("what is not ours is not listed")
                .containsExactly("type:email");

        TestQueue.until(() -> queue.operations().resolve("type:email"));
        TestQueue.until(() -> queue.operations().resolve("invoice:1"));

        assertThat(queue.operations().conflicts()).isEmpty();
        assertThat(queue.database().leaves("invoice:1"))
                .as("what is not ours is not touched")
                .hasSize(2);
        assertThat(queue.database()
                        .get("type:email")
                        .orElseThrow()
                        .path("timeout")
                        .asInt())
                .isEqualTo(2000);
    }

    @Test
    void a_finished_job_that_retention_deletes_says_by_which_claim_it_ended() throws Exception {
        Replicated.into(database, leaf(4, 'a', "'status':'success','fence':7,'times':{'finished':5}"));
        FinishedJobs finished = new FinishedJobs(new JobIndex(new DesignDocuments(queue.database())));
        FinishedJobs.Range all = finished.expendable(
                        "email", JobStatus.SUCCESS, new Retention.Delete(), Instant.now(), Instant.now())
                .orElseThrow();
        try (JobStore store = Stores.of(queue.database())) {
            store.retire(finished.page(all, null, 10));
        }
        ObjectNode tombstone = queue.database().leaves(JOB).get(0);
        assertThat(tombstone.path("fence").asInt()).isEqualTo(7);
        assertThat(tombstone.path("status").asText()).isEqualTo("success");
    }

    private static ObjectNode theOne(List<ObjectNode> leaves, boolean isDeleted) {
        return leaves.stream()
                .filter(leaf -> leaf.path("_deleted").asBoolean() == isDeleted)
                .findFirst()
                .orElseThrow();
    }

    private Worker worker() {
        return queue.worker()
                .handler("email", ObjectNode.class, (data, context) -> null)
                .start();
    }

    private static AcceptOptions now() {
        return AcceptOptions.of("email").timeout(Duration.ZERO);
    }
}
