package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Site;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The answer of a write is lost or late, and others write before its sender looks what became of it. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
@NeedsOneCopy("a write whose answer was lost is confirmed by a second one")
class LostAmidOthersTest extends ProxiedQueue {
    private static final Instant LATER = Jobs.past(7);

    @Test
    void a_job_that_was_claimed_meanwhile_was_added_once() throws Exception {
        AddResult added = whileOthers(() -> queue.add(request("1")), () -> claim(others));
        assertThat(added.outcome()).isEqualTo(AddResult.Outcome.ADDED);
        assertThat(job("1").isResubmitted()).isFalse();
        assertThat(whileOthers(() -> queue.insert(request("2")), () -> claim(others))
                        .status())
                .isEqualTo(JobStatus.WAITING);
        assertThat(whileOthers(() -> queue.insertIfNew(request("3")), () -> claim(others)))
                .isTrue();
    }

    @Test
    void a_job_that_was_run_and_removed_meanwhile_is_not_added_again() throws Exception {
        AddResult added = whileOthers(() -> queue.add(request("1")), this::runAndRemove);
        assertThat(added.outcome()).isEqualTo(AddResult.Outcome.ADDED);
        assertThat(others.get("email", "1")).isEmpty();
        assertThat(whileOthers(() -> queue.insertIfNew(request("1")), this::runAndRemove))
                .as("on the tombstone of the first")
                .isTrue();
        assertThat(others.get("email", "1")).isEmpty();
    }

    @Test
    void an_add_that_never_arrived_is_sent_again_though_there_was_such_a_job_once() {
        others.add(request("1"));
        others.remove("email", "1");
        Lost lost = proxy.loseRequests(1, Proxy.Request::isBulkWrite);
        assertThat(queue.add(request("1")).outcome()).isEqualTo(AddResult.Outcome.ADDED);
        assertThat(lost.count()).isEqualTo(1);
        assertThat(job("1").status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_claim_that_others_wrote_to_meanwhile_is_owned() throws Exception {
        others.add(request("1"));
        ClaimedJob claim = whileOthers(() -> claim(queue), () -> others.resubmit("email", "1", LATER));
        assertThat(claim.finish().status()).isEqualTo(JobStatus.WAITING);
        assertThat(job("1").scheduledTime()).isEqualTo(LATER);
    }

    @Test
    void a_finish_whose_job_was_added_again_meanwhile_is_done() throws Exception {
        others.add(request("1"));
        ClaimedJob claim = claim(queue);
        assertThat(whileOthers(claim::finish, () -> others.add(request("1"))).status())
                .isEqualTo(JobStatus.SUCCESS);
        assertThat(job("1").status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_cancelled_job_that_was_added_again_meanwhile_is_not_cancelled_twice() throws Exception {
        others.add(request("1"));
        whileOthers(() -> queue.cancel("email", "1", CancelMode.IF_QUEUED), () -> others.add(request("1")));
        assertThat(job("1").status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_job_that_was_added_anew_meanwhile_is_not_removed() throws Exception {
        others.add(request("1"));
        whileOthers(
                () -> {
                    queue.remove("email", "1");
                    return "removed";
                },
                () -> others.add(request("1")));
        assertThat(job("1").status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_write_that_arrives_after_it_was_sent_again_changes_nothing() throws Exception {
        try (JobQueue impatient = impatient()) {
            Held late = proxy.holdRequest(Proxy.Request::isBulkWrite);
            impatient.add(request("1"));
            String stored = job("1").rev().orElseThrow();
            late.releaseAndAwaitAnswer();
            assertThat(job("1").rev()).contains(stored);

            ClaimedJob claim = claim(others);
            Held cancel = proxy.holdRequest(Proxy.Request::isBulkWrite);
            impatient.cancel("email", "1", CancelMode.REQUEST);
            claim.acknowledgeCancel("asked to");
            others.add(request("1"));
            cancel.releaseAndAwaitAnswer();
            assertThat(job("1").status()).isEqualTo(JobStatus.WAITING);
        }
    }

    @Test
    void a_write_that_arrives_after_all_just_before_it_is_sent_again_succeeds() throws Exception {
        try (JobQueue impatient = impatient()) {
            others.add(request("1"));
            CompletableFuture<Job> moved;
            Held first = proxy.holdRequest(Proxy.Request::isBulkWrite);
            moved = CompletableFuture.supplyAsync(() -> impatient.reschedule("email", "1", LATER));
            first.awaitArrival();
            Held second = proxy.holdRequest(Proxy.Request::isBulkWrite);
            second.awaitArrival();
            first.releaseAndAwaitAnswer();
            second.release();
            assertThat(moved.get(30, TimeUnit.SECONDS).scheduledTime()).isEqualTo(LATER);
            assertThat(job("1").rev()).isEqualTo(moved.get().rev());
        }
    }

    /** Loses the answer of the first write; what others do comes before the sender looks what became of it. */
    private <T> T whileOthers(Callable<T> verb, Callable<?> othersVerb) throws Exception {
        Lost lost = proxy.loseAnswers(1, Proxy.Request::isBulkWrite);
        Held look = proxy.holdRequest(Proxy.Request::isLookup);
        CompletableFuture<T> doing = CompletableFuture.supplyAsync(() -> {
            try {
                return verb.call();
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
        look.awaitArrival();
        othersVerb.call();
        proxy.clear();
        T answer = doing.get(30, TimeUnit.SECONDS);
        assertThat(lost.count()).isEqualTo(1);
        return answer;
    }

    private Void runAndRemove() throws Exception {
        claim(others).finish();
        others.remove("email", "1");
        return null;
    }

    private static ClaimedJob claim(JobQueue worker) throws InterruptedException {
        List<ClaimedJob> claims = worker.accept(AcceptOptions.of("email").timeout(Duration.ZERO));
        assertThat(claims).hasSize(1);
        return claims.get(0);
    }

    /** A queue that takes an answer for lost after 2 s. */
    private JobQueue impatient() {
        TestDatabase door = proxy.door(database);
        CouchConfig.Builder config = CouchConfig.builder(door.serverUrl()).responseTimeout(Duration.ofSeconds(2));
        door.user()
                .ifPresent(user -> config.auth(
                        new Auth.Basic(user, Secret.of(door.password().orElse("")))));
        return new JobQueue(
                CouchServer.connect(config.build()).database(door.name()),
                JobQueue.builder(door.url()).renewLeases(false),
                Site.UNNAMED);
    }

    private Job job(String id) {
        return others.get("email", id).orElseThrow();
    }

    private static JobRequest request(String id) {
        return JobRequest.builder("email").id(id).data(Map.of("n", 1)).build();
    }
}
