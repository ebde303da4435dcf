package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Programs that claim jobs without a worker. */
@ServerTest
class ClaimingByHandTest {
    private static final JobId ONE = new JobId("email", "1");
    private static final Duration LEASE = Duration.ofSeconds(4);

    private JobQueue queue;
    private JobQueue other;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.builder(database).renewLeases(true).open();
        other = TestQueue.builder(database).renewLeases(true).open();
        queue.types().setTimeout("email", LEASE);
    }

    @AfterEach
    void close() {
        queue.close();
        other.close();
    }

    @Test
    void the_queue_renews_the_lease_while_its_process_lives(TestDatabase database) throws Exception {
        SteppedClock time = new SteppedClock();
        close();
        queue = time.open(
                database,
                TestQueue.builder(database).settableClock(time::instant).renewLeases(true));
        other = time.open(
                database,
                TestQueue.builder(database).settableClock(time::instant).renewLeases(true));
        queue.types().setTimeout("email", LEASE.dividedBy(4));
        add("1");
        ClaimedJob claim = queue.claim(ONE).orElseThrow();
        // The other process looks after dead owners from now on.
        assertThat(other.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .isEmpty();

        for (int renewal = 0; renewal < 9; renewal++) {
            long confirmed = ((LeasedJob) claim).confirmedNanos();
            TestQueue.until(() -> ((LeasedJob) claim).confirmedNanos() > confirmed);
            time.pass(LEASE.dividedBy(12));
        }

        assertThat(claim.isLeaseOver()).isFalse();
        assertThat(other.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .isEmpty();
        assertThat(claim.finish().status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(claim.fence()).isEqualTo(1);
    }

    @Test
    void a_process_that_owns_nothing_writes_no_signs_of_life() throws Exception {
        add("1");
        ClaimedJob claim = queue.claim(ONE).orElseThrow();
        String owner = owner(claim);
        TestQueue.until(() -> beats(owner) >= 1);
        claim.finish();

        long beats = beats(owner);
        add("2");
        ClaimedJob next = other.claim(new JobId("email", "2")).orElseThrow();
        TestQueue.until(() -> beats(owner(next)) >= 3);

        assertThat(beats(owner)).as("at most one was on its way").isLessThanOrEqualTo(beats + 1);
    }

    @Test
    void a_process_that_ends_without_finishing_its_job_loses_it() throws Exception {
        add("1");
        ClaimedJob claim = queue.claim(ONE).orElseThrow();
        TestQueue.until(() -> beats(owner(claim)) >= 1);
        queue.close();

        ClaimedJob next = other.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);

        assertThat(next.fence()).isEqualTo(2);
        next.finish();
    }

    @Test
    void a_job_that_was_overwritten_by_no_job_and_put_back_is_lost_for_its_owner() throws Exception {
        add("1");
        ClaimedJob claim = queue.claim(ONE).orElseThrow();
        ObjectNode owned = queue.database().get(ONE.docId()).orElseThrow();
        overwrite(Jobs.json("{'status':'none'}"));
        assertThatThrownBy(claim::update).isInstanceOf(HaltException.class).hasMessageContaining("no job");
        overwrite(owned);
        assertThatThrownBy(claim::update).isInstanceOf(HaltException.class);

        ClaimedJob next = other.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);

        assertThat(next.fence()).isEqualTo(2);
        next.finish();
    }

    @Test
    void an_owner_who_renews_it_himself_loses_the_job_when_he_stops(TestDatabase database) throws Exception {
        add("1");
        try (JobQueue byHand = TestQueue.builder(database).renewLeases(false).open()) {
            ClaimedJob claim = byHand.claim(ONE).orElseThrow();

            ClaimedJob next = other.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                    .get(0);

            assertThat(next.fence()).isEqualTo(2);
            assertThat(claim.isLeaseOver()).isTrue();
            assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class);
        }
    }

    @Test
    void a_given_job_is_claimed_before_its_time_and_though_its_type_is_paused() {
        queue.types().change("email", settings -> settings.withPaused(true));
        queue.add(JobRequest.builder("email")
                .id("1")
                .data(Map.of())
                .scheduledTime(Instant.now().plusSeconds(3600))
                .build());

        ClaimedJob claim = queue.claim(ONE).orElseThrow();

        assertThat(queue.get(ONE)).map(Job::status).contains(JobStatus.RUNNING);
        assertThat(claim.finish("by hand").result().orElseThrow().asText()).isEqualTo("by hand");
    }

    @Test
    void a_job_with_conflicts_is_none_because_another_leaf_may_be_owned(TestDatabase database) throws Exception {
        Replicated.into(
                database,
                Replicated.leaf("job:email:1", 3, 'a', "'status':'waiting','scheduledTime':0"),
                Replicated.leaf("job:email:1", 2, 'b', Replicated.owned("elsewhere", "t1", 1)));

        assertThat(queue.claim(ONE)).isEmpty();
        assertThat(queue.get(ONE)).flatMap(Job::lock).isEmpty();
    }

    @Test
    void a_job_of_another_site_is_none() {
        queue.add(
                JobRequest.builder("email").id("1").data(Map.of()).site("oslo").build());

        assertThat(queue.claim(ONE)).isEmpty();
        assertThat(queue.get(ONE)).map(Job::status).contains(JobStatus.WAITING);
    }

    @Test
    void one_of_many_claims_of_one_job_gets_it() {
        add("1");

        List<Optional<ClaimedJob>> claims = List.of(queue.claim(ONE), other.claim(ONE), queue.claim(ONE));

        assertThat(claims.stream().filter(Optional::isPresent)).hasSize(1);
    }

    @Test
    void a_job_that_cannot_be_claimed_is_none_and_a_missing_one_an_error() {
        add("1");
        queue.add(
                JobRequest.builder("email").id("held").data(Map.of()).after(ONE).build());
        assertThat(queue.claim(new JobId("email", "held")))
                .as("waits for another job")
                .isEmpty();

        queue.claim(ONE).orElseThrow().finish();
        assertThat(queue.claim(ONE)).as("has finished").isEmpty();
        assertThatThrownBy(() -> queue.claim(new JobId("email", "none"))).isInstanceOf(NotFoundException.class);
    }

    @Test
    void a_claim_by_hand_counts_in_the_limits_of_its_type() throws Exception {
        queue.types().change("email", settings -> settings.with(Limit.RUNNING, 1));
        add("1");
        add("2");
        ClaimedJob claim = queue.claim(ONE).orElseThrow();

        assertThat(other.claim(new JobId("email", "2"))).isEmpty();

        claim.finish();
        TestQueue.until(() -> other.claim(new JobId("email", "2")).isPresent());
    }

    private void add(String id) {
        queue.add(JobRequest.builder("email").id(id).data(Map.of()).build());
    }

    /** As a program does that knows nothing of jobs. */
    private void overwrite(ObjectNode content) {
        JsonNode rev = queue.database().get(ONE.docId()).orElseThrow().path("_rev");
        ObjectNode document = content.deepCopy().put("_id", ONE.docId());
        queue.database().put(document.set("_rev", rev));
    }

    private static String owner(ClaimedJob claim) {
        return claim.job().lock().orElseThrow().worker();
    }

    /** How often the process of that owner gave a sign of life. */
    private long beats(String owner) {
        return queue.database()
                .get(DocIds.WORKER + owner)
                .map(document -> document.path("beat").asLong())
                .orElse(0L);
    }
}
