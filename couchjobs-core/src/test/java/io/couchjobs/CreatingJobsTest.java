package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NoTypeTimeoutException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@ServerTest
class CreatingJobsTest extends OpenQueue {
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");

    @Test
    void an_added_job_waits() {
        AddResult added = queue.add(
                JobRequest.builder("email").id("1").data(Map.of("to", "ada")).build());
        assertThat(added.outcome()).isEqualTo(AddResult.Outcome.ADDED);
        assertThat(queue.phase("email", "1")).isEqualTo(JobPhase.PENDING);
        Job job = queue.get("email", "1").orElseThrow();
        assertThat(job.status()).isEqualTo(JobStatus.WAITING);
        assertThat(job.data().path("to").asText()).isEqualTo("ada");
        assertThat(job.rev()).isEqualTo(added.job().orElseThrow().rev());
    }

    @Test
    @NeedsOneCopy("the job may be added anew at a copy that has not heard of it yet")
    void adding_a_pending_job_at_another_time_replaces_time_and_data() {
        queue.add(request(Map.of("n", 1), Instant.EPOCH));
        assertThat(queue.add(request(Map.of("n", 2), LATER)).outcome()).isEqualTo(AddResult.Outcome.UPDATED);
        Job job = job();
        assertThat(job.scheduledTime()).isEqualTo(LATER);
        assertThat(job.data().path("n").asInt()).isEqualTo(2);
    }

    @Test
    @NeedsOneCopy("the job may be added anew at a copy that has not heard of it yet")
    void adding_a_pending_job_at_the_same_time_writes_nothing() {
        Job before = queue.add(request(Map.of("n", 1), LATER)).job().orElseThrow();
        assertThat(queue.add(request(Map.of("n", 2), LATER)).outcome()).isEqualTo(AddResult.Outcome.UNCHANGED);
        assertThat(job().rev()).isEqualTo(before.rev());
    }

    @Test
    void replacing_a_pending_job_at_the_same_time_writes_the_data() {
        queue.add(request(Map.of("n", 1), LATER));
        AddResult replaced =
                queue.replaceAll(List.of(request(Map.of("n", 2), LATER))).get(0);
        assertThat(replaced.outcome()).isEqualTo(AddResult.Outcome.UPDATED);
        assertThat(job().data().path("n").asInt()).isEqualTo(2);
    }

    @Test
    void adding_a_running_job_runs_it_once_more_and_does_not_disturb_its_owner() throws Exception {
        queue.add(request(Map.of("n", 1), Instant.EPOCH));
        ClaimedJob claim = claim();
        assertThat(queue.add(request(Map.of("n", 2), LATER)).outcome()).isEqualTo(AddResult.Outcome.RESUBMITTED);
        claim.finish(Map.of("done", true));
        Job again = job();
        assertThat(again.status()).isEqualTo(JobStatus.WAITING);
        assertThat(again.scheduledTime()).isEqualTo(LATER);
        assertThat(again.data().path("n").asInt()).isEqualTo(1);
    }

    @Test
    void adding_a_finished_job_enqueues_it_afresh() throws Exception {
        queue.add(request(Map.of("n", 1), Instant.EPOCH));
        claim().finish("result");
        assertThat(queue.add(request(Map.of("n", 2), Instant.EPOCH)).outcome()).isEqualTo(AddResult.Outcome.ADDED);
        Job again = job();
        assertThat(again.status()).isEqualTo(JobStatus.WAITING);
        assertThat(again.attempt()).isZero();
        assertThat(again.result()).isEmpty();
        assertThat(again.data().path("n").asInt()).isEqualTo(2);
    }

    @Test
    void one_bad_job_of_a_batch_does_not_stop_the_others() {
        TestQueue.assumeThatAnythingCanBeStored();
        queue.database().put(io.couchjobs.testing.Jobs.json("{'_id':'job:email:bad','status':7}"));
        List<AddResult> results = queue.addAll(List.of(
                JobRequest.builder("email").id("a").data(Map.of()).build(),
                JobRequest.builder("email").id("bad").data(Map.of()).build(),
                JobRequest.builder("email").id("b").data(Map.of()).build()));
        assertThat(results)
                .extracting(AddResult::outcome)
                .containsExactly(AddResult.Outcome.ADDED, AddResult.Outcome.REJECTED, AddResult.Outcome.ADDED);
        assertThat(results.get(1).problem()).contains("status");
    }

    @Test
    void the_same_job_twice_in_a_batch_is_added_once_and_then_updated() {
        List<AddResult> results = queue.addAll(List.of(
                request(Map.of("n", 1), Instant.EPOCH),
                request(Map.of("n", 2), Instant.EPOCH),
                request(Map.of("n", 3), LATER)));
        assertThat(results)
                .extracting(AddResult::outcome)
                .containsExactly(AddResult.Outcome.ADDED, AddResult.Outcome.UNCHANGED, AddResult.Outcome.UPDATED);
        assertThat(job().data().path("n").asInt()).isEqualTo(3);
    }

    @Test
    void fields_written_by_others_survive() throws Exception {
        queue.database().put(io.couchjobs.testing.Jobs.json("{'_id':'job:email:1','data':{},'mine':{'keep':[1,2]}}"));
        claim().finish("ok");
        assertThat(job().toDocument().path("mine").toString()).isEqualTo("{\"keep\":[1,2]}");
        queue.add(request(Map.of("n", 2), LATER));
        assertThat(job().toDocument().path("mine").toString()).isEqualTo("{\"keep\":[1,2]}");
    }

    @Test
    @NeedsOneCopy("the job may be added anew at a copy that has not heard of it yet")
    void an_insert_of_a_job_that_exists_is_refused() {
        queue.insert(request(Map.of("n", 1), LATER));
        assertThatThrownBy(() -> queue.insert(request(Map.of("n", 2), LATER)))
                .isInstanceOf(DuplicateJobException.class)
                .hasMessageContaining("email:1")
                .hasMessageContaining("waiting");
        assertThat(job().data().path("n").asInt()).isEqualTo(1);
    }

    @Test
    void exactly_one_of_many_racing_creators_with_one_tracker_adds_the_job() throws Exception {
        assumeTrue(
                queue.database().info().copies() == 1,
                "on a cluster two may believe that they have added it (docs/clusters.md, what is not prevented)");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<Boolean>> answers = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                int n = i;
                answers.add(threads.submit(() -> queue.insertIfNew(tracked(n))));
            }
            int added = 0;
            for (Future<Boolean> answer : answers) {
                added += answer.get() ? 1 : 0;
            }
            assertThat(added).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void a_tracker_is_free_again_when_its_job_has_finished() throws Exception {
        assertThat(queue.insertIfNew(tracked(1))).isTrue();
        assertThat(queue.insertIfNew(tracked(2))).isFalse();
        claim().finish();
        assertThat(queue.insertIfNew(tracked(3))).isTrue();
    }

    @Test
    void data_that_is_no_object_stores_nothing_and_an_owner_keeps_its_lock() throws Exception {
        queue.add(request(Map.of("n", 1), Instant.EPOCH));
        ClaimedJob claim = claim();
        Job before = job();
        assertThatThrownBy(() -> queue.add("email", "text")).isInstanceOf(InvalidJobDataException.class);
        assertThatThrownBy(() -> claim.update(List.of(1))).isInstanceOf(InvalidJobDataException.class);
        assertThatThrownBy(() -> claim.finishAndReplaceData(7, null)).isInstanceOf(InvalidJobDataException.class);
        assertThat(job().rev()).isEqualTo(before.rev());
        claim.finish();
        assertThat(job().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void a_strict_queue_refuses_types_without_a_timeout(TestDatabase database) {
        try (JobQueue strict = TestQueue.builder(database).strict(true).open()) {
            assertThatThrownBy(() -> strict.add("email", Map.of())).isInstanceOf(NoTypeTimeoutException.class);
            assertThat(strict.types().names()).isEmpty();
            strict.types().setTimeout("email", Duration.ofSeconds(5));
            assertThat(strict.add("email", Map.of()).outcome()).isEqualTo(AddResult.Outcome.ADDED);
        }
    }

    @Test
    void type_timeouts_are_set_read_and_cleared() {
        assertThat(queue.types().timeout("email")).isEmpty();
        queue.types().setTimeout("email", Duration.ofSeconds(5));
        assertThat(queue.types().timeout("email")).contains(Duration.ofSeconds(5));
        queue.add("sms", Map.of());
        assertThat(queue.types().names()).containsExactly("email", "sms");
        queue.types().clearTimeout("email");
        assertThat(queue.types().timeout("email")).isEmpty();
        assertThatThrownBy(() -> queue.types().setTimeout("email", Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_removed_job_is_gone_its_owner_halts_and_a_new_one_of_that_id_is_out_of_its_reach() throws Exception {
        queue.add(request(Map.of("n", 1), Instant.EPOCH));
        ClaimedJob old = claim();
        queue.remove("email", "1");
        assertThat(queue.phase("email", "1")).isEqualTo(JobPhase.NOT_FOUND);
        assertThatThrownBy(() -> queue.remove("email", "1")).isInstanceOf(NotFoundException.class);
        queue.add(request(Map.of("n", 2), Instant.EPOCH));
        assertThatThrownBy(old::finish).isInstanceOf(HaltException.class);
        assertThatThrownBy(old::update).isInstanceOf(HaltException.class);
        ClaimedJob fresh = claim();
        assertThatThrownBy(() -> old.finish("late")).isInstanceOf(HaltException.class);
        fresh.finish("in time");
        assertThat(job().result().orElseThrow().asText()).isEqualTo("in time");
    }

    @Test
    void cancel_answers_by_the_state_of_the_job() throws Exception {
        assertThatThrownBy(() -> queue.cancel("email", "1", CancelMode.REQUEST)).isInstanceOf(NotFoundException.class);
        queue.add(request(Map.of(), Instant.EPOCH));
        assertThat(queue.cancel("email", "1", CancelMode.IF_QUEUED)).isEqualTo(CancelResult.CANCELLED);
        assertThat(queue.cancel("email", "1", CancelMode.IF_QUEUED)).isEqualTo(CancelResult.ALREADY_FINISHED);
        queue.retryNow("email", "1");
        ClaimedJob claim = claim();
        Job running = job();
        assertThat(queue.cancel("email", "1", CancelMode.IF_QUEUED)).isEqualTo(CancelResult.RUNNING);
        assertThat(job().rev()).isEqualTo(running.rev());
        assertThat(queue.cancel("email", "1", CancelMode.REQUEST)).isEqualTo(CancelResult.REQUESTED);
        assertThat(job().isCancelRequested()).isTrue();
        claim.acknowledgeCancel("asked to");
        assertThat(job().status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void pending_jobs_can_be_moved_and_running_ones_cannot() throws Exception {
        queue.add(request(Map.of(), LATER));
        queue.setPriority("email", "1", 75);
        queue.reschedule("email", "1", Jobs.past(5));
        assertThat(job().priority()).isEqualTo(75);
        assertThat(job().scheduledTime()).isEqualTo(Jobs.past(5));
        claim();
        assertThatThrownBy(() -> queue.reschedule("email", "1", LATER))
                .isInstanceOf(JobRefusedException.class)
                .hasMessageContaining("running");
        assertThatThrownBy(() -> queue.retryNow("email", "1")).isInstanceOf(JobRefusedException.class);
        assertThatThrownBy(() -> queue.retryNow("email", "none")).isInstanceOf(NotFoundException.class);
    }

    /** CouchDB stops an index whose JavaScript takes longer than five seconds for a document. */
    @Test
    void a_job_with_very_many_tags_stops_no_index() throws Exception {
        JobRequest.Builder request = JobRequest.builder("email").id("1").data(Map.of());
        IntStream.range(0, 20_000).forEach(i -> request.tag("tag" + i));
        queue.add(request.build());
        TestQueue.until(() -> queue.list(JobFilter.all().tag("tag19999"), 100).size() == 1);
    }

    @Test
    void counts_and_lists_tell_what_is_there() throws Exception {
        for (int i = 0; i < 5; i++) {
            queue.add(JobRequest.builder("email")
                    .id("e" + i)
                    .data(Map.of())
                    .tag(i % 2 == 0 ? "even" : "odd")
                    .group("g" + i)
                    .correlationId("c")
                    .build());
        }
        queue.add("sms", Map.of());
        claim().finish();
        assertThat(queue.types().counts().get("email").byStatus())
                .containsEntry(JobStatus.WAITING, 4L)
                .containsEntry(JobStatus.SUCCESS, 1L)
                .containsEntry(JobStatus.FAILED, 0L);
        assertThat(queue.types().counts().get("email").oldestPending().orElseThrow())
                .isCloseTo(Instant.now(), within(5, ChronoUnit.MINUTES));
        assertThat(queue.list(JobFilter.all(), 100)).hasSize(6);
        assertThat(queue.list(JobFilter.all(), 2)).hasSize(2);
        assertThat(queue.list(JobFilter.all().type("email").status(JobStatus.WAITING), 100))
                .hasSize(4);
        assertThat(queue.list(JobFilter.all().tag("odd"), 100))
                .extracting(job -> job.id().id())
                .containsExactlyInAnyOrder("e1", "e3");
        assertThat(queue.list(JobFilter.all().group("g2"), 100)).hasSize(1);
        assertThat(queue.list(JobFilter.all().correlationId("c"), 100)).hasSize(5);
        assertThat(queue.types().pendingCount("email", Instant.now(), 3)).isEqualTo(3);
        assertThat(queue.types().pendingCount("email", Instant.now(), 100)).isEqualTo(4);
    }

    @Test
    void lists_page_over_many_jobs_and_show_the_newest_first() {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < 1200; i++) {
            requests.add(JobRequest.builder("email").id("e" + i).data(Map.of()).build());
        }
        queue.addAll(requests);
        List<Job> all = queue.list(JobFilter.all().type("email"), 2000);
        assertThat(all).hasSize(1200).doesNotHaveDuplicates();
        assertThat(all)
                .isSortedAccordingTo(
                        (a, b) -> b.times().get("created").compareTo(a.times().get("created")));
    }

    @Test
    void documents_that_cannot_be_jobs_are_listed_and_harm_nobody() throws Exception {
        TestQueue.assumeThatAnythingCanBeStored();
        queue.database().put(io.couchjobs.testing.Jobs.json("{'_id':'job:email:bad1','status':7}"));
        queue.database().put(io.couchjobs.testing.Jobs.json("{'_id':'job:email:bad2','data':'x'}"));
        queue.database().put(io.couchjobs.testing.Jobs.json("{'_id':'job:email:good','data':{}}"));
        assertThat(queue.operations().malformed())
                .containsOnly(Map.entry("job:email:bad1", "status"), Map.entry("job:email:bad2", "data"));
        assertThat(claim().id().id()).isEqualTo("good");
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .isEmpty();
    }

    @Test
    void types_and_ids_that_look_like_anything_stay_what_they_are() throws Exception {
        for (String odd : List.of("a/b", "../../x", "?q=1&r=%2F+", "日本 語", "'; rm -rf / #", "<b>", "_design/x")) {
            queue.add(JobRequest.builder(odd).id(odd).data(Map.of("odd", odd)).build());
            ClaimedJob claim =
                    queue.accept(AcceptOptions.of(odd).timeout(Duration.ZERO)).get(0);
            claim.finish(odd);
            assertThat(queue.get(odd, odd).orElseThrow().result().orElseThrow().asText())
                    .isEqualTo(odd);
        }
    }

    private static JobRequest tracked(int n) {
        return JobRequest.builder("email").tracker("once").data(Map.of("n", n)).build();
    }

    private static JobRequest request(Map<String, ?> data, Instant time) {
        return JobRequest.builder("email")
                .id("1")
                .data(data)
                .scheduledTime(time)
                .build();
    }

    private Job job() {
        return queue.get("email", "1").orElseThrow();
    }

    private ClaimedJob claim() throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
    }
}
