package io.couchjobs.engine.lifecycle;

import static io.couchjobs.testing.Jobs.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Lock;
import io.couchjobs.job.Progress;
import io.couchjobs.scope.Ending;
import io.couchjobs.testing.Jobs;
import io.couchjobs.type.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TransitionsTest {
    static final RetryPolicy TWICE = new RetryPolicy(2, Duration.ofSeconds(30), Duration.ofHours(1));

    /** The state machine once more, by hand: what each event makes of each status; "-" is a refusal, "=" no write. */
    private static final String MATRIX = """
            event               waiting    scheduled  running    stuck      success  failed   cancelled
            add                 waiting    scheduled  running    waiting    waiting  waiting  waiting
            claim               running    -          -          running    -        -        -
            put aside           scheduled  -          -          scheduled  -        -        -
            withdraw            -          scheduled  running    -          -        -        -
            start               -          running    -          -          -        -        -
            update              -          scheduled  running    -          -        -        -
            finish              -          success    success    -          -        -        -
            fail                -          stuck      stuck      -          -        -        -
            fail for good       -          failed     failed     -          -        -        -
            release             -          waiting    waiting    -          -        -        -
            snooze              -          waiting    waiting    -          -        -        -
            acknowledge cancel  -          cancelled  cancelled  -          -        -        -
            expire              -          waiting    waiting    -          -        -        -
            expire once only    -          waiting    failed     -          -        -        -
            cancel              cancelled  -          -          cancelled  -        -        -
            request cancel      -          scheduled  running    -          -        -        -
            resubmit            waiting    scheduled  running    waiting    waiting  waiting  waiting
            resubmit as it was  =          scheduled  running    waiting    waiting  waiting  waiting
            retry               waiting    -          -          waiting    waiting  waiting  waiting
            reschedule          waiting    -          -          stuck      -        -        -
            prioritize          waiting    -          -          stuck      -        -        -
            add at same time    =          scheduled  running    waiting    waiting  waiting  waiting
            reschedule to same  =          -          -          =          -        -        -
            """;

    private static final Map<String, Function<Job, Decision>> EVENTS = events();

    private static Map<String, Function<Job, Decision>> events() {
        Instant later = NOW.plusSeconds(60);
        JobError error = new JobError(1, NOW, JobError.Kind.FAILED, "boom", null);
        Map<String, Function<Job, Decision>> events = new LinkedHashMap<>();
        events.put("add", job -> Transitions.add(job, requestAt(later), false, NOW));
        events.put("claim", job -> Transitions.claim(job, "t2", "w2", true, NOW));
        events.put("put aside", job -> Transitions.claim(job, "t2", "w2", false, NOW));
        events.put("withdraw", job -> ClusterTransitions.withdraw(job, "no quorum", NOW));
        events.put("start", job -> Transitions.start(job, NOW));
        events.put("update", job -> Transitions.update(job, Jobs.json("{}"), new Progress(5, "on it"), NOW));
        events.put("finish", job -> Transitions.finish(job, Jobs.json("{'ok':true}"), null, NOW));
        events.put("fail", job -> Transitions.fail(job, error, TWICE, false, NOW));
        events.put("fail for good", job -> Transitions.fail(job, error, TWICE, true, NOW));
        events.put("release", job -> Transitions.release(job, NOW));
        events.put("snooze", job -> Transitions.snooze(job, later, NOW));
        events.put("acknowledge cancel", job -> Transitions.acknowledgeCancel(job, "asked to", NOW));
        events.put("expire", job -> Transitions.expire(job, OptionalInt.empty(), NOW));
        events.put("expire once only", job -> Transitions.expire(job, OptionalInt.of(0), NOW));
        events.put("cancel", job -> Transitions.cancel(job, null, NOW));
        events.put("request cancel", job -> Transitions.requestCancel(job, null, NOW));
        events.put("resubmit", job -> Transitions.resubmit(job, later, null, NOW));
        events.put("resubmit as it was", job -> Transitions.resubmit(job, null, null, NOW));
        events.put("retry", job -> Transitions.retry(job, null, NOW));
        events.put("reschedule", job -> Transitions.reschedule(job, later, NOW));
        events.put("prioritize", job -> Transitions.prioritize(job, 75, NOW));
        events.put("add at same time", job -> Transitions.add(job, requestAt(job.scheduledTime()), false, NOW));
        events.put("reschedule to same", job -> Transitions.reschedule(job, job.scheduledTime(), NOW));
        return events;
    }

    static JobRequest requestAt(Instant time) {
        return JobRequest.builder("email")
                .id("42")
                .data(Map.of("n", 2))
                .scheduledTime(time)
                .build();
    }

    static Stream<Arguments> cells() {
        List<String> lines = MATRIX.lines().toList();
        List<String> statuses = List.of(lines.get(0).trim().split(" +")).subList(1, 8);
        List<Arguments> cells = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String event = line.substring(0, 20).trim();
            String[] targets = line.substring(20).trim().split(" +");
            for (int i = 0; i < targets.length; i++) {
                cells.add(Arguments.of(event, statuses.get(i), targets[i]));
            }
        }
        return cells.stream();
    }

    @Test
    void the_matrix_has_every_event_and_every_status() {
        assertThat(cells().map(cell -> cell.get()[0]).distinct()).containsExactlyInAnyOrderElementsOf(EVENTS.keySet());
        assertThat(cells()).hasSize(EVENTS.size() * JobStatus.values().length);
    }

    @ParameterizedTest(name = "{0} makes a {1} job {2}")
    @MethodSource("cells")
    void every_event_on_every_status(String event, String status, String expected) {
        Job before = Jobs.inStatus(JobStatus.fromJson(status).orElseThrow());
        Decision decision = EVENTS.get(event).apply(before);
        String actual = decision.isRefused()
                ? "-"
                : decision.write().map(job -> job.status().json()).orElse("=");
        assertThat(actual).isEqualTo(expected);
        decision.write().ifPresent(after -> {
            assertThat(after.lock().isPresent())
                    .as("a lock")
                    .isEqualTo(after.status().isLocked());
            assertThat(after.rev()).isEqualTo(before.rev());
            assertThat(after.toDocument().get("mine"))
                    .isEqualTo(before.toDocument().get("mine"));
            assertThat(Job.parse(after.toDocument()).saysTheSameAs(after)).isTrue();
        });
    }

    @Test
    void a_new_job_waits_and_has_all_that_its_creator_asked_for() {
        Job job = Transitions.create(
                JobRequest.builder("email")
                        .id("7")
                        .data(Map.of("to", "ada"))
                        .scheduledTime(Jobs.past(9))
                        .group("g")
                        .priority(75)
                        .maxRetries(1)
                        .tag("a")
                        .tag("b")
                        .jobClass("big")
                        .origin("me")
                        .correlationId("c")
                        .build(),
                NOW);
        Job expected = Job.parse(
                Jobs.json("{'_id':'job:email:7','status':'waiting','scheduledTime':1500000000009,'data':{'to':'ada'},"
                        + "'group':'g','class':'big','origin':'me','correlationId':'c','priority':75,"
                        + "'maxRetries':1,'tags':['a','b'],'times':{'created':1700000000000}}"));
        assertThat(job.saysTheSameAs(expected)).as(job.toDocument().toString()).isTrue();
    }

    @Test
    void a_claim_carries_its_token_and_a_greater_fence() {
        Job claimed = write(Transitions.claim(Jobs.inStatus(JobStatus.WAITING), "t2", "w2", true, NOW));
        assertThat(claimed.lock()).contains(new Lock("t2", "w2", NOW));
        assertThat(claimed.fence()).isEqualTo(8);
        assertThat(claimed.attempt()).isEqualTo(2);
        assertThat(claimed.times()).containsEntry("claimed", NOW).containsEntry("started", NOW);
    }

    @Test
    void the_first_claim_of_a_document_goes_by_its_revision_which_outlives_a_removal() {
        assertThat(fenceOfNextClaim("'_rev':'1-abc'")).isEqualTo(1);
        assertThat(fenceOfNextClaim("'_rev':'17-abc'"))
                .as("added again on a tombstone")
                .isEqualTo(17);
        assertThat(fenceOfNextClaim("'_rev':'17-abc','fence':3")).isEqualTo(4);
        assertThat(fenceOfNextClaim("'_rev':'17-abc','fence':0")).isEqualTo(1);
        assertThat(fenceOfNextClaim("'data':{}")).as("not stored yet").isEqualTo(1);
    }

    @Test
    void a_fence_that_cannot_grow_any_more_does_not_make_a_claimed_job_malformed() {
        Job job = Jobs.job("'fence':2147483647,'data':{}");
        Job claimed = write(Transitions.claim(job, "t", "w", true, NOW));
        assertThat(Job.parse(claimed.toDocument()).fence()).isEqualTo(Integer.MAX_VALUE);
        Job cancelled = write(Transitions.cancel(job, null, NOW));
        assertThat(Job.parse(cancelled.toDocument()).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void the_first_and_the_last_time_that_there_is_can_be_asked_for() {
        for (long time : new long[] {-8_640_000_000_000_000L, 8_640_000_000_000_000L}) {
            Job running =
                    Jobs.job("'status':'running','lock':{'token':'t1'},'resubmit':{'scheduledTime':" + time + "}");
            Job finished = write(Transitions.finish(running, null, null, NOW));
            assertThat(finished.scheduledTime()).isEqualTo(Instant.ofEpochMilli(time));
        }
        assertThatThrownBy(() -> Transitions.reschedule(
                        Jobs.inStatus(JobStatus.WAITING), Instant.ofEpochMilli(8_640_000_000_000_001L), NOW))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void every_write_turns_a_scheduled_time_in_seconds_into_milliseconds() {
        Job byHand = Jobs.job("'data':{},'scheduledTime':4000000000,'resubmit':{'scheduledTime':4100000000}");
        Job claimed = write(Transitions.claim(byHand, "t", "w", true, NOW));
        assertThat(claimed.toDocument().path("scheduledTime").asLong()).isEqualTo(4_000_000_000_000L);
        Job released = write(Transitions.release(claimed, NOW));
        assertThat(released.toDocument().path("scheduledTime").asLong()).isEqualTo(4_100_000_000_000L);
        Job restored = Restored.of(Jobs.job("'data':{},'scheduledTime':4000000000"), 0);
        assertThat(restored.toDocument().path("scheduledTime").asLong()).isEqualTo(4_000_000_000_000L);
    }

    @Test
    void an_owned_job_is_put_back_as_the_same_document_whenever_that_is_done() {
        Job copy = Jobs.job("'status':'running','fence':3,'lock':{'token':'t1','worker':'w1','since':5},"
                + "'times':{'claimed':5,'updated':7}");
        Job restored = Restored.of(copy, 0);
        assertThat(restored.status()).isEqualTo(JobStatus.WAITING);
        assertThat(restored.times())
                .as("the last moment of the copy")
                .containsEntry("released", Instant.ofEpochMilli(7));
    }

    @Test
    void
            the_next_fence_of_a_job_that_is_put_back_is_greater_than_all_before_also_when_it_was_copied_before_its_first_claim() {
        for (String fence : List.of("'fence':0", "'fence':3")) {
            Job restored = Restored.of(Jobs.job("'data':{}," + fence), 12);
            assertThat(Fences.next(restored)).as(fence).isGreaterThan(12);
        }
    }

    @Test
    void a_time_before_march_1973_is_written_as_at_once() {
        Instant early = Instant.ofEpochMilli(99_999_999_999L);
        Job waiting = Jobs.inStatus(JobStatus.WAITING);
        assertThat(write(Transitions.add(waiting, Jobs.request(early), true, NOW))
                        .scheduledTime())
                .isEqualTo(Instant.EPOCH);
        Job later = write(Transitions.reschedule(waiting, NOW, NOW));
        assertThat(write(Transitions.reschedule(later, early, NOW))
                        .toDocument()
                        .path("scheduledTime")
                        .asLong())
                .isZero();
        assertThat(Transitions.reschedule(write(Transitions.reschedule(later, early, NOW)), early, NOW)
                        .write())
                .as("the same time again")
                .isEmpty();
        Job running = Jobs.inStatus(JobStatus.RUNNING);
        assertThat(write(Transitions.resubmit(running, early, null, NOW)).resubmittedTime())
                .isEqualTo(Instant.EPOCH);
        assertThat(write(Transitions.snooze(running, early, NOW)).scheduledTime())
                .isEqualTo(Instant.EPOCH);
    }

    private static long fenceOfNextClaim(String fields) {
        return write(Transitions.claim(Jobs.job(fields), "t", "w", true, NOW)).fence();
    }

    @Test
    void a_claim_that_was_withdrawn_keeps_its_lock_and_owns_nothing() {
        Job running = Jobs.inStatus(JobStatus.RUNNING);
        Job withdrawn = write(ClusterTransitions.withdraw(running, "no quorum", NOW));
        assertThat(withdrawn.lock())
                .contains(new Lock("t1", "w1", Instant.ofEpochMilli(1), new Lock.Withdrawal(NOW, "no quorum")));
        assertThat(withdrawn.isLockedBy("t1")).isFalse();
        assertThat(Fences.effective(running)).isEqualTo(7);
        assertThat(Fences.effective(withdrawn)).isEqualTo(6);
        Job again = write(ClusterTransitions.withdraw(withdrawn, "no quorum", NOW.plusMillis(1)));
        assertThat(again.saysTheSameAs(withdrawn))
                .as("a write that changes nothing would prove nothing")
                .isFalse();
    }

    @Test
    void a_job_put_aside_counts_as_an_attempt_only_when_it_starts() {
        Job aside = write(Transitions.claim(Jobs.inStatus(JobStatus.WAITING), "t2", "w2", false, NOW));
        assertThat(aside.attempt()).isEqualTo(1);
        assertThat(write(Transitions.start(aside, NOW)).attempt()).isEqualTo(2);
    }

    @Test
    void retries_wait_longer_each_time_from_the_start_of_the_failed_run_until_they_are_used_up() {
        Job job = Jobs.job("'data':{}");
        List<Long> delays = new ArrayList<>();
        for (int run = 0; run < 3; run++) {
            Job running = write(Transitions.claim(job, "t" + run, "w", true, NOW));
            JobError error = new JobError(running.attempt(), NOW, JobError.Kind.FAILED, "boom", null);
            assertThat(new Retries(running, TWICE).areUsedUp()).isEqualTo(run == 2);
            job = write(Transitions.fail(running, error, TWICE, false, NOW.plusSeconds(5)));
            delays.add(Duration.between(NOW, job.scheduledTime()).toSeconds());
        }
        assertThat(delays.subList(0, 2)).containsExactly(30L, 60L);
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.errors()).hasSize(3);
    }

    @Test
    void an_expired_lease_uses_up_no_retry() {
        Job running = write(Transitions.claim(Jobs.job("'data':{}"), "t", "w", true, NOW));
        Job expired = write(Transitions.expire(running, OptionalInt.empty(), NOW));
        assertThat(expired.expirations()).isEqualTo(1);
        assertThat(expired.attempt()).isEqualTo(1);
        assertThat(expired.failures()).isZero();
        assertThat(expired.errors()).singleElement().extracting(JobError::kind).isEqualTo(JobError.Kind.EXPIRED);
    }

    @Test
    void
            on_one_node_a_run_that_was_to_be_cancelled_and_whose_owner_died_was_killed_also_by_a_clock_that_was_set_back() {
        Job running = write(Transitions.claim(Jobs.job("'data':{}"), "t", "w", true, NOW));
        Job asked = write(Transitions.requestCancel(running, null, NOW));
        Job ended = write(Transitions.expire(asked, OptionalInt.empty(), NOW.minusSeconds(60)));
        assertThat(Ending.Outcome.of(ended)).contains(Ending.Outcome.KILLED);
    }

    @Test
    void an_update_of_the_owner_is_later_than_the_one_before_also_by_a_clock_that_is_behind() {
        Job running = write(Transitions.claim(Jobs.job("'data':{}"), "t", "w", true, NOW));
        Job first = write(Transitions.update(running, Jobs.json("{'n':1}"), null, NOW));
        Job second = write(Transitions.update(first, Jobs.json("{'n':2}"), null, NOW.minusSeconds(7)));
        Job asked = write(Transitions.requestCancel(second, null, NOW));
        assertThat(OwnerUpdate.addTo(
                                asked,
                                List.of(Leaf.of(Jobs.json(first.document().toString()))))
                        .data())
                .isEqualTo(Jobs.json("{'n':2}"));
    }

    @Test
    void a_job_that_was_only_put_aside_is_not_to_blame_for_the_death_of_its_owner() {
        Job claimed = write(Transitions.claim(Jobs.job("'data':{},'attempt':2,'expirations':1"), "t", "w", false, NOW));
        Job expired = write(Transitions.expire(claimed, OptionalInt.of(0), NOW));
        assertThat(expired.status()).isEqualTo(JobStatus.WAITING);
        assertThat(expired.expirations()).isEqualTo(1);
        assertThat(expired.failures()).as("failed runs, which use up retries").isEqualTo(1);
    }

    @Test
    void a_job_whose_leases_run_out_too_often_is_failed_and_says_so_and_a_retry_forgets_them() {
        Job running = write(Transitions.claim(Jobs.job("'data':{},'expirations':2"), "t", "w", true, NOW));
        Job failed = write(Transitions.expire(running, OptionalInt.of(2), NOW));
        assertThat(failed.status()).isEqualTo(JobStatus.FAILED);
        assertThat(failed.expirations()).isEqualTo(3);
        assertThat(failed.errors()).singleElement().satisfies(error -> {
            assertThat(error.kind()).isEqualTo(JobError.Kind.EXPIRED);
            assertThat(error.message()).contains("happened 3 times", "maxExpirations");
        });
        assertThat(write(Transitions.retry(failed, null, NOW)).expirations()).isZero();
    }

    @Test
    void a_release_takes_back_the_attempt() {
        Job running = write(Transitions.claim(Jobs.job("'data':{}"), "t", "w", true, NOW));
        assertThat(write(Transitions.release(running, NOW)).attempt()).isZero();
    }

    @Test
    void a_retry_is_at_a_time_that_there_is_whatever_the_document_says_of_the_start() {
        ObjectNode late = Jobs.inStatus(JobStatus.RUNNING).toDocument();
        late.withObject("/times").put("started", 8_640_000_000_000_000L);
        JobError error = new JobError(1, NOW, JobError.Kind.FAILED, "boom", null);
        Job stuck = write(Transitions.fail(Job.parse(late), error, TWICE, false, NOW));
        assertThat(Job.parse(stuck.toDocument()).scheduledTime())
                .isEqualTo(Instant.ofEpochMilli(8_640_000_000_000_000L));
    }

    @Test
    void the_reason_of_a_retry_is_kept_until_the_job_is_retried_or_added_again() {
        Instant later = NOW.plusSeconds(60);
        Job retried = write(Transitions.retry(Jobs.inStatus(JobStatus.FAILED), "the mail server is back", NOW));
        assertThat(retried.retryReason()).contains("the mail server is back");
        assertThat(write(Transitions.cancel(retried, null, later)).retryReason())
                .contains("the mail server is back");
        assertThat(write(Transitions.retry(retried, null, later)).toDocument().has("retryReason"))
                .as("retried again, without a reason")
                .isFalse();
        Job over = write(Transitions.cancel(retried, null, later));
        assertThat(write(Transitions.add(over, requestAt(later), false, later.plusSeconds(1)))
                        .retryReason())
                .as("added again")
                .isEmpty();
    }

    @Test
    void a_snoozed_run_does_not_count_and_the_job_waits_for_its_time() {
        Job running = Jobs.inStatus(JobStatus.RUNNING);
        Job snoozed = write(Transitions.snooze(running, NOW.plusSeconds(5), NOW));
        assertThat(snoozed.scheduledTime()).isEqualTo(NOW.plusSeconds(5));
        assertThat(snoozed.attempt()).isEqualTo(running.attempt() - 1);
        assertThat(snoozed.errors()).isEmpty();
        Job asked = write(Transitions.requestCancel(running, null, NOW));
        assertThat(write(Transitions.snooze(asked, NOW, NOW)).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void a_resubmitted_pending_job_takes_the_time_and_the_data() {
        Job moved = write(Transitions.resubmit(Jobs.inStatus(JobStatus.WAITING), NOW, Jobs.json("{'n':2}"), NOW));
        assertThat(moved.scheduledTime()).isEqualTo(NOW);
        assertThat(moved.data()).isEqualTo(Jobs.json("{'n':2}"));
        assertThat(moved.times().get("created")).isEqualTo(Instant.ofEpochMilli(5));
    }

    @Test
    void a_stuck_job_that_is_added_again_starts_afresh() {
        Job again = write(Transitions.add(Jobs.inStatus(JobStatus.STUCK), requestAt(NOW), false, NOW));
        assertThat(again.attempt()).isZero();
        assertThat(again.data()).isEqualTo(Jobs.json("{'n':2}"));
        assertThat(again.fence()).as("a wish takes the next fence").isEqualTo(8);
    }

    @Test
    void only_the_newest_errors_are_kept() {
        Job job = Jobs.job("'data':{}");
        for (int run = 1; run <= 15; run++) {
            Job running = write(Transitions.claim(job, "t", "w", true, NOW));
            JobError error = new JobError(run, NOW, JobError.Kind.FAILED, "boom " + run, "at A");
            job = write(Transitions.fail(running, error, TWICE.withMaxRetries(99), false, NOW));
        }
        assertThat(job.errors()).hasSize(Job.MAX_ERRORS);
        assertThat(job.errors().get(9).message()).isEqualTo("boom 15");
    }

    @Test
    void a_priority_out_of_range_is_named() {
        assertThatThrownBy(() -> Transitions.prioritize(Jobs.inStatus(JobStatus.WAITING), 100, NOW))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("100");
    }

    static Job write(Decision decision) {
        return decision.write().orElseThrow();
    }
}
