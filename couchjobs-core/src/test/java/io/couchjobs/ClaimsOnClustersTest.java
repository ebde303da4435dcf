package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What workers and owners do where a write can be stored without a quorum, and a job have several leaves. */
@ServerTest
class ClaimsOnClustersTest extends QueueOnPretendedCluster {
    @Test
    void a_claim_that_no_quorum_confirmed_owns_nothing_and_is_withdrawn() throws Exception {
        add("1");
        cluster.acceptStored(1, ClaimsOnClustersTest::isClaim);
        claimInVain();
        awaitWithdrawal("no quorum");
    }

    @Test
    void a_claim_whose_answer_was_lost_owns_nothing_and_is_withdrawn() throws Exception {
        add("1");
        Lost lost = proxy.loseAnswers(
                1, request -> request.isBulkWrite() && request.body().contains("\"lock\""));
        claimInVain();
        assertThat(lost.count()).isEqualTo(1);
        awaitWithdrawal("");
    }

    @Test
    void a_withdrawal_is_tried_again_until_it_is_stored() throws Exception {
        add("1");
        cluster.acceptStored(1, ClaimsOnClustersTest::isClaim);
        Lost lost = proxy.loseRequests(1, request -> request.body().contains("\"withdrawn\""));
        claimInVain();
        awaitWithdrawal("no quorum");
        assertThat(lost.count()).isEqualTo(1);
    }

    @Test
    void a_job_that_was_claimed_in_vain_is_claimed_again_without_a_sign_from_anybody_once_it_waits() throws Exception {
        add("1");
        cluster.acceptStored(1, ClaimsOnClustersTest::isClaim);
        claimInVain();
        awaitWithdrawal("no quorum");
        add("2");
        ClaimedJob first = queue.accept(AcceptOptions.of("email")).get(0);
        ClaimedJob second = queue.accept(AcceptOptions.of("email")).get(0);
        assertThat(List.of(first.id().id(), second.id().id())).containsExactlyInAnyOrder("1", "2");
    }

    @Test
    void a_worker_that_is_to_stop_when_nothing_is_due_claims_again_what_it_claimed_in_vain() throws Exception {
        add("1");
        cluster.acceptStored(3, ClaimsOnClustersTest::isClaim);
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> null)
                .untilEmpty()
                .start()) {
            worker.awaitStopped();
            assertThat(worker.stats().succeeded()).isEqualTo(1);
        }
    }

    @Test
    void a_worker_that_is_cut_off_with_a_minority_builds_no_index_and_leaves_most_jobs_alone() throws Exception {
        others.addAll(IntStream.range(0, 300).mapToObj(n -> request("" + n)).toList());
        cluster.acceptStored(1000, ClaimsOnClustersTest::isClaim);
        for (int i = 0; i < 5; i++) {
            queue.accept(AcceptOptions.of("email").max(4).timeout(Duration.ZERO));
        }
        assertThat(new DesignDocuments(queue.database()).read(DesignDocument.FAIR.versionedName()))
                .isEmpty();
        assertThat(cluster.claims()).isLessThan(100);
    }

    @Test
    void a_worker_whose_claims_are_all_confirmed_too_late_leaves_most_jobs_alone() throws Exception {
        others.addAll(IntStream.range(0, 300).mapToObj(n -> request("" + n)).toList());
        InstantSource suspendedInEachClaim = () -> Instant.now().plus(Duration.ofHours(cluster.claims()));
        TestDatabase door = proxy.door(database);
        // For its pauses no time passes, however long the test takes.
        try (JobQueue slow =
                new SteppedClock().open(door, TestQueue.builder(door).clock(suspendedInEachClaim))) {
            for (int i = 0; i < 10; i++) {
                assertThat(slow.accept(AcceptOptions.of("email").max(10).timeout(Duration.ZERO)))
                        .isEmpty();
            }
        }
        assertThat(cluster.claims()).isBetween(1L, 60L);
    }

    @Test
    void an_end_that_no_quorum_confirms_is_sent_again_as_it_is() throws Exception {
        ClaimedJob claim = claimed();
        cluster.acceptInVain(2, hasStatus("success"));
        assertThat(claim.finish(Map.of("n", 1)).status()).isEqualTo(JobStatus.SUCCESS);
        List<ObjectNode> ends =
                cluster.sent().stream().filter(hasStatus("success")).toList();
        assertThat(ends).hasSize(3);
        assertThat(ends.stream().distinct()).hasSize(1);
        assertThat(job().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void an_end_that_is_stored_without_a_quorum_is_done_when_a_quorum_confirms_that_it_stays() throws Exception {
        ClaimedJob claim = claimed();
        cluster.acceptStored(1, hasStatus("success"));
        assertThat(claim.finish().status()).isEqualTo(JobStatus.SUCCESS);
        List<ObjectNode> ends =
                cluster.sent().stream().filter(hasStatus("success")).toList();
        assertThat(ends).hasSize(3);
        assertThat(ends.get(2).path("_rev").asText())
                .as("on what the first one became")
                .startsWith("3-");
    }

    @Test
    void a_renewal_that_was_only_read_renews_no_lease_until_a_quorum_confirms_it() throws Exception {
        ClaimedJob claim = claimed();
        long confirmed = ((LeasedJob) claim).confirmedNanos();
        cluster.acceptStored(1, hasStatus("running"));
        claim.update(Map.of("n", 2));
        List<ObjectNode> sent =
                cluster.sent().stream().filter(hasStatus("running")).toList();
        assertThat(sent.get(sent.size() - 1).path("times").has("kept")).isTrue();
        assertThat(((LeasedJob) claim).confirmedNanos()).isGreaterThan(confirmed);
        assertThat(job().data().path("n").asInt()).isEqualTo(2);
    }

    @Test
    void an_owner_without_a_quorum_for_the_length_of_its_lease_halts() throws Exception {
        ClaimedJob claim = claimed();
        queue.types().setTimeout("email", Duration.ofMillis(300));
        cluster.acceptInVain(1000, hasStatus("success"));
        assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class).hasMessageContaining("majority");
        assertThat(job().status()).as("running, or set free already").isIn(JobStatus.RUNNING, JobStatus.WAITING);
    }

    @Test
    void an_update_that_was_sent_before_trouble_is_settled_before_anything_else_is_written() throws Exception {
        ClaimedJob claim = claimed();
        Lost lost = proxy.loseRequests(4, request -> request.body().contains("\"early\""));
        assertThatThrownBy(() -> claim.update(Map.of("early", 1))).isInstanceOf(RuntimeException.class);
        assertThat(lost.count()).isEqualTo(4);
        claim.finish();
        List<ObjectNode> sent = cluster.sent();
        assertThat(sent.get(sent.size() - 2).path("data").has("early")).isTrue();
        assertThat(job().status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(job().data().has("early")).isTrue();
    }

    @Test
    void an_owner_goes_on_from_its_own_leaf_when_readers_see_the_one_of_a_loser() throws Exception {
        ClaimedJob claim = claimed();
        others.resubmit("email", "1", Jobs.past(7));
        losingClaimThatReadersSee(claim.job(), "rival");
        assertThat(job().isLockedBy("rival")).isTrue();
        claim.assertOwned();
        assertThat(claim.finish().status())
                .as("the own leaf with the resubmit of another")
                .isEqualTo(JobStatus.WAITING);
    }

    @Test
    void an_owner_whose_lease_is_over_leaves_the_job_to_a_claim_that_is_as_good() throws Exception {
        // Nobody finds out whether the rival lives, so nobody sets the job free.
        proxy.loseRequests(Integer.MAX_VALUE, request -> request.uri().getPath().contains("client-"));
        ClaimedJob claim = claimed();
        queue.types().setTimeout("email", Duration.ofMillis(100));
        losingClaimThatReadersSee(claim.job(), "rival");
        TestQueue.until(claim::isLeaseOver);
        assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class);
    }

    @Test
    void a_lease_that_is_over_does_not_come_back() throws Exception {
        for (Consumer<ClaimedJob> call : List.<Consumer<ClaimedJob>>of(ClaimedJob::assertOwned, ClaimedJob::update)) {
            ClaimedJob claim = claimed();
            queue.types().setTimeout("email", Duration.ofMillis(100));
            TestQueue.until(claim::isLeaseOver);
            assertThatThrownBy(() -> call.accept(claim)).isInstanceOf(HaltException.class);
            assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class);
            queue.remove(claim.id());
            queue.types().setTimeout("email", Duration.ofMinutes(1));
        }
    }

    @Test
    void an_owner_whose_lease_is_over_may_still_end_a_run_that_nobody_took() throws Exception {
        // Nobody finds out whether the owner lives, so nobody takes the job.
        proxy.loseRequests(Integer.MAX_VALUE, request -> request.uri().getPath().contains("client-"));
        ClaimedJob claim = claimed();
        queue.types().setTimeout("email", Duration.ofMillis(100));
        TestQueue.until(claim::isLeaseOver);
        assertThat(claim.finish().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void an_end_that_a_quorum_confirms_after_the_lease_stands_when_nobody_took_the_job() throws Exception {
        // Nobody finds out whether the owner lives, so nobody takes the job.
        proxy.loseRequests(Integer.MAX_VALUE, request -> request.uri().getPath().contains("client-"));
        ClaimedJob claim = claimed();
        Held end = proxy.holdAnswer(
                request -> request.isBulkWrite() && request.body().contains("\"success\""));
        try (Lane lane = Environment.REAL.lane("ends", 1)) {
            CompletableFuture<Optional<Job>> sent =
                    ((LeasedJob) claim).finishBehind(null, lane).orElseThrow();
            queue.types().setTimeout("email", Duration.ofMillis(100));
            TestQueue.until(claim::isLeaseOver);
            end.release();
            assertThat(sent.get(1, TimeUnit.MINUTES)).isEmpty();
        }

        assertThat(claim.finish().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void an_owner_whose_claim_was_withdrawn_halts() throws Exception {
        ClaimedJob claim = claimed();
        ObjectNode document = job().toDocument();
        ((ObjectNode) document.get("lock")).putObject("withdrawn").put("at", 1).put("reason", "expired");
        others.database().put(document);
        assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class);
        assertThatThrownBy(claim::assertOwned).isInstanceOf(HaltException.class);
    }

    @Test
    void an_uncontended_run_costs_the_same_requests_with_several_copies_as_with_one() throws Exception {
        List<String> onCluster = requestsOfARun(queue, cluster);
        PretendedCluster counter = new PretendedCluster();
        try (Proxy plain = Proxy.before(database.server());
                JobQueue single = TestQueue.open(plain.door(database))) {
            plain.detour(new Proxy.Detour() {
                @Override
                public boolean goes(Proxy.Request request) {
                    return counter.goes(request);
                }
            });
            assertThat(requestsOfARun(single, counter)).isEqualTo(onCluster);
        }
        assertThat(onCluster)
                .containsExactly("POST /_bulk_docs", "POST /_bulk_docs", "POST /_bulk_docs", "POST /_bulk_docs");
    }

    /** Add, claim, renew, finish; everything that is asked once per process was asked before, or does not speak of the job. */
    private static List<String> requestsOfARun(JobQueue worker, PretendedCluster counter) throws Exception {
        worker.add(request("warm-up"));
        worker.accept(AcceptOptions.of("email")).get(0).finish();
        AddResult measured =
                worker.add(JobRequest.builder("email").data(Map.of()).build());
        ClaimedJob claim = worker.accept(AcceptOptions.of("email")).get(0);
        claim.update();
        claim.finish();
        return counter.requestsAbout(measured.id().docId());
    }

    private ClaimedJob claimed() throws Exception {
        add("1");
        return claims().get(0);
    }

    /** Under load the job may wait again, and be claimed again, before the call returns. */
    private void claimInVain() throws InterruptedException {
        List<ClaimedJob> later = claims();
        assertThat(later).noneMatch(claim -> cluster.sawWithdrawalOf(claim.token()));
        later.forEach(ClaimedJob::release);
    }

    private List<ClaimedJob> claims() throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO));
    }

    /** What the job is then is for those who resolve conflicts to say. */
    private void awaitWithdrawal(String reason) throws Exception {
        TestQueue.until(() -> cluster.sawWithdrawal(reason));
        TestQueue.until(() -> job().isWithdrawn() || job().status() == JobStatus.WAITING);
    }

    private static boolean isClaim(JsonNode doc) {
        return doc.has("lock") && !doc.path("lock").has("withdrawn");
    }

    private static Predicate<JsonNode> hasStatus(String status) {
        return doc -> doc.path("status").asText().equals(status);
    }

    private void losingClaimThatReadersSee(Job mine, String token) throws Exception {
        Replicated.into(database, leaf(mine, "9-" + HASH, token));
    }
}
