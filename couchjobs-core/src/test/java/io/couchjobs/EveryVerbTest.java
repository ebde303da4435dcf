package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NoTypeTimeoutException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the RFC says of each verb, beyond the usual course of things. */
@ServerTest
class EveryVerbTest extends OpenQueue {
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");

    @Test
    void data_that_is_no_object_is_refused_by_every_verb_and_the_job_can_still_be_finished() throws Exception {
        add("1", Instant.EPOCH);
        ClaimedJob claim = claim();
        Job before = job();
        for (Object bad : Arrays.asList("text", 7, true, List.of(1), TextNode.valueOf("x"), new int[] {1}, null)) {
            List<ThrowingCallable> verbs = List.of(
                    () -> queue.add("email", bad),
                    () -> queue.add(JobRequest.of("email", bad)),
                    () -> queue.resubmit("email", "1", LATER, bad),
                    () -> claim.update(bad),
                    () -> claim.finishAndReplaceData(bad, "result"),
                    () -> claim.resubmit(LATER, bad));
            for (ThrowingCallable verb : verbs) {
                assertThatThrownBy(verb).isInstanceOf(InvalidJobDataException.class);
            }
        }
        assertThat(job().rev()).isEqualTo(before.rev());
        assertThat(queue.all("email")).hasSize(1);
        claim.finishAndReplaceData(Map.of("n", 2), "result");
        assertThat(job().status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(queue.data("email", "1").orElseThrow()).isEqualTo(Jobs.json("{'n':2}"));
    }

    @Test
    void data_that_refers_to_itself_is_refused_before_anything_is_sent() throws Exception {
        add("1", Instant.EPOCH);
        ClaimedJob claim = claim();
        Job before = job();
        Node circle = new Node();
        circle.next = circle;
        assertThatThrownBy(() -> queue.add("email", circle)).isInstanceOf(InvalidJobDataException.class);
        assertThatThrownBy(() -> claim.update(circle)).isInstanceOf(InvalidJobDataException.class);
        assertThatThrownBy(() -> claim.finish(circle)).isInstanceOf(InvalidJobDataException.class);
        assertThat(job().rev()).isEqualTo(before.rev());
        claim.finish();
    }

    /** Jackson cannot write an object that holds itself. */
    static final class Node {
        @SuppressWarnings("NullAway.Init")
        public Node next;
    }

    @Test
    void a_running_job_that_is_resubmitted_runs_again_at_that_time_with_the_data_it_had() throws Exception {
        add("1", Instant.EPOCH);
        ClaimedJob claim = claim();
        Job flagged = claim.resubmit(LATER, Map.of("n", 9));
        assertThat(flagged.isResubmitted()).isTrue();
        assertThat(claim.isResubmitted()).isTrue();
        assertThat(flagged.status()).isEqualTo(JobStatus.RUNNING);
        claim.finish("first");
        assertThat(job().status()).isEqualTo(JobStatus.WAITING);
        assertThat(job().scheduledTime()).isEqualTo(LATER);
        assertThat(job().data()).isEqualTo(Jobs.json("{'n':1}"));
        assertThat(job().isResubmitted()).isFalse();
    }

    @Test
    void an_owner_resubmits_the_job_that_it_has_finished() throws Exception {
        add("1", Instant.EPOCH);
        ClaimedJob claim = claim();
        claim.finish("first");
        Job again = claim.resubmit(LATER, Map.of("n", 9));
        assertThat(again.status()).isEqualTo(JobStatus.WAITING);
        assertThat(again.scheduledTime()).isEqualTo(LATER);
        assertThat(job().data()).isEqualTo(Jobs.json("{'n':9}"));
        assertThat(job().result()).isEmpty();
        assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class);
    }

    @Test
    void a_job_resubmitted_without_a_time_keeps_the_one_it_had() throws Exception {
        add("1", Jobs.past(77));
        ClaimedJob claim = claim();
        claim.resubmit();
        claim.finish();
        assertThat(job().scheduledTime()).isEqualTo(Jobs.past(77));
        assertThat(job().status()).isEqualTo(JobStatus.WAITING);
        claim().finish();
        assertThat(queue.resubmit("email", "1").scheduledTime()).isEqualTo(Jobs.past(77));
    }

    @Test
    void a_former_owner_cannot_resubmit_a_job_that_another_one_runs() throws Exception {
        add("1", Instant.EPOCH);
        ClaimedJob former = claim();
        former.finish();
        add("1", Instant.EPOCH);
        ClaimedJob present = claim();
        assertThatThrownBy(() -> former.resubmit(LATER)).isInstanceOf(HaltException.class);
        assertThat(job().isResubmitted()).isFalse();
        queue.remove("email", "1");
        assertThatThrownBy(() -> former.resubmit(LATER)).isInstanceOf(HaltException.class);
        assertThatThrownBy(() -> present.resubmit(LATER)).isInstanceOf(HaltException.class);
    }

    @Test
    void a_pending_job_that_is_resubmitted_moves_and_at_the_same_time_nothing_is_written() {
        add("1", LATER);
        Job same = queue.resubmit("email", "1", LATER, Map.of("n", 2));
        assertThat(same.data()).isEqualTo(Jobs.json("{'n':1}"));
        assertThat(queue.resubmit("email", "1", Instant.EPOCH, Map.of("n", 2)).scheduledTime())
                .isEqualTo(Instant.EPOCH);
        assertThat(job().data()).isEqualTo(Jobs.json("{'n':2}"));
        assertThatThrownBy(() -> queue.resubmit("email", "none", LATER)).isInstanceOf(NotFoundException.class);
    }

    @Test
    void a_job_added_again_after_a_cancel_request_runs_again() throws Exception {
        add("1", Instant.EPOCH);
        ClaimedJob claim = claim();
        queue.cancel("email", "1", CancelMode.REQUEST);
        add("1", LATER);
        claim.acknowledgeCancel("asked to");
        assertThat(job().status()).isEqualTo(JobStatus.WAITING);
        assertThat(job().scheduledTime()).isEqualTo(LATER);
        assertThat(job().isCancelRequested()).isFalse();
    }

    @Test
    void a_job_that_is_to_be_cancelled_does_not_keep_itself_alive_by_resubmitting() throws Exception {
        add("1", Instant.EPOCH);
        ClaimedJob claim = claim();
        queue.cancel("email", "1", CancelMode.REQUEST);
        claim.update();
        assertThat(claim.resubmit(LATER).isResubmitted()).isFalse();
        claim.acknowledgeCancel("asked to");
        assertThat(job().status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void an_operator_takes_a_job_from_its_owner() throws Exception {
        add("1", Instant.EPOCH);
        assertThatThrownBy(() -> queue.operations().release("email", "1"))
                .isInstanceOf(JobRefusedException.class)
                .hasMessageContaining("email:1 is waiting and owned by nobody");
        ClaimedJob claim = claim();
        Job released = queue.operations().release("email", "1");
        assertThat(released.status()).isEqualTo(JobStatus.WAITING);
        assertThat(released.lock()).isEmpty();
        assertThat(released.attempt()).isZero();
        assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class);
        ClaimedJob next = claim();
        assertThat(next.fence()).isGreaterThan(claim.fence());
        assertThatThrownBy(() -> queue.operations().release("email", "none")).isInstanceOf(NotFoundException.class);
    }

    @Test
    void a_document_that_cannot_be_a_job_can_be_removed() {
        TestQueue.assumeThatAnythingCanBeStored();
        queue.database().put(Jobs.json("{'_id':'job:email:1','status':7}"));
        queue.remove("email", "1");
        assertThat(queue.phase("email", "1")).isEqualTo(JobPhase.NOT_FOUND);
        assertThatThrownBy(() -> queue.remove("email", "1")).isInstanceOf(NotFoundException.class);
    }

    @Test
    void all_jobs_of_a_type_are_gone_through_in_pages_and_others_are_not() throws Exception {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < 1_203; i++) {
            requests.add(JobRequest.builder("email").id("e" + i).data(Map.of()).build());
        }
        queue.addAll(requests);
        queue.add("emails", Map.of());
        queue.add("emai", Map.of());
        queue.database().put(Jobs.json("{'_id':'job:email:bad','status':7}"));
        queue.add(JobRequest.builder("email").id("日本").data(Map.of()).build());
        goesThrough(1_204, JobFilter.all().type("email"));
        goesThrough(1_206, JobFilter.all());
        assertThat(queue.all("email").limit(3)).hasSize(3);
        assertThat(queue.all("none")).isEmpty();
    }

    @Test
    void all_jobs_of_a_status_or_with_a_label_are_gone_through_in_pages() throws Exception {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < 1_001; i++) {
            requests.add(JobRequest.builder("email")
                    .id("e" + i)
                    .data(Map.of())
                    .tag("even" + i % 2)
                    .build());
        }
        queue.addAll(requests);
        queue.accept(AcceptOptions.of("email").max(7).timeout(TestQueue.PATIENCE));
        goesThrough(994, JobFilter.all().status(JobStatus.WAITING));
        goesThrough(7, JobFilter.all().type("email").status(JobStatus.RUNNING));
        goesThrough(501, JobFilter.all().tag("even0"));
    }

    /** Each reading of a cluster may ask another copy of the index, which may be behind for a moment. */
    private void goesThrough(int jobs, JobFilter filter) throws Exception {
        TestQueue.until(() -> {
            List<JobId> ids = queue.all(filter).map(Job::id).toList();
            return ids.size() == jobs && Set.copyOf(ids).size() == jobs;
        });
    }

    @Test
    void a_strict_queue_rejects_one_type_of_a_batch_and_adds_the_others(TestDatabase database) {
        try (JobQueue strict = TestQueue.builder(database).strict(true).open()) {
            strict.types().setTimeout("email", Duration.ofSeconds(5));
            List<JobRequest> batch = List.of(
                    JobRequest.of("sms", Map.of()), JobRequest.of("email", Map.of()), JobRequest.of("sms", Map.of()));
            List<AddResult> added = strict.addAll(batch);
            assertThat(added)
                    .extracting(AddResult::outcome)
                    .containsExactly(AddResult.Outcome.REJECTED, AddResult.Outcome.ADDED, AddResult.Outcome.REJECTED);
            assertThat(added.get(0).problem()).contains("type sms has no timeout");
            assertThat(strict.insertIfNew(batch)).containsExactly(false, false, false);
            assertThatThrownBy(() -> strict.insertIfNew(batch.get(0))).isInstanceOf(NoTypeTimeoutException.class);
            assertThatThrownBy(() -> strict.insert(batch.get(0))).isInstanceOf(NoTypeTimeoutException.class);
            assertThat(strict.types().names()).containsExactly("email");
        }
    }

    private void add(String id, Instant time) {
        queue.add(JobRequest.builder("email")
                .id(id)
                .data(Map.of("n", 1))
                .scheduledTime(time)
                .build());
    }

    private Job job() {
        return queue.get("email", "1").orElseThrow();
    }

    private ClaimedJob claim() throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
    }
}
