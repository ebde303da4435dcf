package io.couchjobs.engine.worker;

import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.Faults;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Replicated;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** On a monotonic clock that the test moves: T is 20 minutes. */
@Execution(ExecutionMode.CONCURRENT)
class ActivityMonitorTest {
    private static final Duration T = Duration.ofMinutes(20);
    /** The most that is added to T so that monitors do not collide. */
    private static final Duration JITTER = Duration.ofSeconds(10);

    private static final Duration MOMENT = Duration.ofMillis(1);

    private WatchedQueue watched;

    @BeforeEach
    void open() throws Exception {
        watched = new WatchedQueue(T);
    }

    @AfterEach
    void close() {
        watched.close();
    }

    @Test
    void a_job_is_recovered_later_than_its_timeout_and_within_the_jitter() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        for (int i = 0; i < 20; i++) {
            watched.owned("j" + i, "dead", "");
        }
        watched.looked();
        watched.advance(T.minus(MOMENT));
        watched.looked();
        assertThat(monitor.recovered()).as("before the timeout").isZero();
        watched.advance(JITTER.plus(MOMENT.multipliedBy(2)));
        until(() -> monitor.recovered() == 20);
        assertThat(watched.job("j0").status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void when_the_feed_skipped_changes_it_looks_for_owners_of_types_of_which_it_heard_before() throws Exception {
        watched.owned("1", "dead", "");
        ActivityMonitor monitor = watched.deafMonitor("me");
        untilRecovered(monitor, 1); // so the first look is over

        ObjectNode job = watched.queue.database().get("job:email:1").orElseThrow();
        monitor.changed(new FeedEvent("job:email:1", job.path("_rev").asText(), false, job, false));
        watched.owned("2", "dead", "");
        monitor.skipped();
        untilRecovered(monitor, 2);
    }

    private void untilRecovered(ActivityMonitor monitor, int jobs) throws Exception {
        until(() -> {
            watched.advance(T.plus(JITTER));
            return monitor.recovered() == jobs;
        });
    }

    @Test
    void jobs_of_a_registered_worker_that_died_are_recovered_and_its_registration_is_removed() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        watched.queue.database().put(Jobs.json("{'_id':'worker:dead','pid':1,'types':[],'beat':0,'at':0}"));
        watched.owned("1", "dead", "");
        watched.looked();
        watched.advance(T.plus(JITTER));
        until(() -> monitor.recovered() == 1);
        watched.advance(T);
        watched.looked();
        until(() -> watched.queue.database().get("worker:dead").isEmpty());
        watched.queue.operations().gc().keepTombstones(Duration.ZERO).run();
        assertThat(watched.queue.database().leaves("worker:dead"))
                .as("a tombstone that tells whose it is can be purged")
                .isEmpty();
    }

    @Test
    void a_document_that_is_only_called_like_a_registration_is_left_alone() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        put("{'_id':'worker:notes','text':'who works when'}");
        put("{'_id':'worker:dead','pid':1,'types':[],'beat':0,'at':0}");
        watched.looked();
        watched.advance(T);
        watched.looked();
        until(() -> watched.queue.database().get("worker:dead").isEmpty());
        watched.looked();
        assertThat(watched.queue.database().get("worker:notes")).isPresent();
        assertThat(monitor.recovered()).isZero();
    }

    @Test
    void a_registration_that_moves_keeps_all_jobs_of_its_worker() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        Registration registration =
                new Registration(watched.queue.database(), "w", List.of("email"), java.time.Instant.EPOCH);
        registration.beat(2, java.time.Instant.EPOCH, T, T);
        watched.owned("1", "w", "");
        watched.owned("2", "w", "");
        watched.owned("3", "dead", "");
        watched.looked();
        for (int i = 0; i < 4; i++) {
            watched.advance(T.dividedBy(2));
            registration.beat(2, java.time.Instant.EPOCH, T, T);
            watched.looked();
        }
        until(() -> monitor.recovered() == 1);
        assertThat(watched.job("1").status()).isEqualTo(JobStatus.RUNNING);
        assertThat(watched.job("2").status()).isEqualTo(JobStatus.RUNNING);
        assertThat(watched.job("3").status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_registration_that_moves_on_a_leaf_that_readers_do_not_see_keeps_the_jobs_of_its_worker() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        String rev = put("{'_id':'worker:w'}");
        Replicated.into(
                watched.couch.url() + "jobs", Jobs.json("{'_id':'worker:w','_rev':'9-" + "a".repeat(32) + "'}"));
        watched.owned("1", "w", "");
        watched.owned("2", "dead", "");
        watched.looked();
        for (int i = 0; i < 4; i++) {
            watched.advance(T.dividedBy(2));
            rev = put("{'_id':'worker:w','_rev':'" + rev + "','beat':" + i + "}");
            watched.looked();
        }
        until(() -> monitor.recovered() == 1);
        assertThat(watched.job("1").status()).isEqualTo(JobStatus.RUNNING);
    }

    @Test
    void a_sign_of_life_that_the_feed_tells_while_the_owner_is_being_asked_for_counts() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        String first = put("{'_id':'worker:w'}");
        watched.owned("1", "w", "");
        watched.looked();
        Faults.Held asking = watched.couch
                .faults()
                .delay(
                        1,
                        path("worker")
                                .and(r -> r.method().equals("GET") && r.path().endsWith("w")));
        watched.advance(T.plus(JITTER));
        assertThat(asking.awaitArrival(30)).isTrue();
        String rev = put("{'_id':'worker:w','_rev':'" + first + "','beat':2}");
        monitor.changed(new FeedEvent("worker:w", rev, false, Jobs.json("{'_id':'worker:w'}"), false));
        asking.release();
        watched.looked();
        assertThat(monitor.recovered()).isZero();
        assertThat(watched.job("1").status()).isEqualTo(JobStatus.RUNNING);
    }

    @Test
    void an_owner_without_a_registration_lives_by_the_moves_of_its_job() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        watched.owned("1", "python-17", "");
        for (int i = 0; i < 4; i++) {
            watched.looked();
            watched.advance(T.dividedBy(2));
            watched.touch("1");
        }
        watched.looked();
        assertThat(monitor.recovered()).isZero();
        watched.advance(T.plus(JITTER));
        until(() -> monitor.recovered() == 1);
        assertThat(watched.job("1").toDocument().path("step").asInt()).isEqualTo(4);
    }

    @Test
    void a_claim_by_hand_lives_by_its_updates() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        watched.queue.add("email", java.util.Map.of());
        var claim = watched.queue.accept(AcceptOptions.of("email")).get(0);
        for (int i = 0; i < 3; i++) {
            watched.looked();
            watched.advance(T.dividedBy(2));
            claim.update();
        }
        watched.looked();
        assertThat(monitor.recovered()).isZero();
        assertThat(claim.finish().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void many_monitors_recover_a_job_once() throws Exception {
        List<ActivityMonitor> monitors = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            monitors.add(watched.monitor("m" + i));
        }
        for (int i = 0; i < 10; i++) {
            watched.owned("j" + i, "dead", "");
        }
        watched.looked();
        watched.advance(T.plus(JITTER));
        until(() -> monitors.stream().mapToLong(ActivityMonitor::recovered).sum() >= 10);
        watched.looked();
        assertThat(monitors.stream().mapToLong(ActivityMonitor::recovered).sum())
                .isEqualTo(10);
        for (int i = 0; i < 10; i++) {
            Job job = watched.job("j" + i);
            assertThat(job.expirations()).isEqualTo(1);
            assertThat(job.errors()).extracting(JobError::kind).containsExactly(JobError.Kind.EXPIRED);
        }
    }

    @Test
    void the_wishes_of_others_for_the_job_of_a_dead_owner_come_true() throws Exception {
        watched.queue.types().change("email", settings -> settings.with(Limit.EXPIRATIONS, 1));
        ActivityMonitor monitor = watched.monitor("me");
        watched.owned("cancelled", "dead", ",'cancelRequested':true");
        watched.owned("again", "dead", ",'resubmit':{'scheduledTime':1500000000007}");
        watched.owned("often", "dead", ",'expirations':1");
        watched.looked();
        watched.advance(T.plus(JITTER));
        until(() -> monitor.recovered() == 3);
        assertThat(watched.job("cancelled").status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(watched.job("often").status()).isEqualTo(JobStatus.FAILED);
        Job again = watched.job("again");
        assertThat(again.status()).isEqualTo(JobStatus.WAITING);
        assertThat(again.isResubmitted()).isFalse();
        assertThat(again.scheduledTime()).isEqualTo(Jobs.past(7));
    }

    @Test
    void a_shorter_timeout_counts_at_once_and_leaves_the_owners_its_length() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        watched.owned("1", "w", "");
        watched.looked();
        watched.advance(T.dividedBy(2));
        Duration shorter = Duration.ofMinutes(1);
        watched.queue.types().setTimeout("email", shorter);
        watched.looked();
        watched.advance(shorter.minus(MOMENT));
        watched.looked();
        assertThat(monitor.recovered()).isZero();
        watched.advance(shorter.dividedBy(2).plus(MOMENT));
        until(() -> monitor.recovered() == 1);
    }

    @Test
    void a_longer_timeout_counts_even_for_a_monitor_that_did_not_hear_of_it() throws Exception {
        ActivityMonitor monitor = watched.monitor("me", false);
        watched.owned("1", "w", "");
        watched.looked();
        Duration longer = T.multipliedBy(10);
        watched.queue.types().setTimeout("email", longer);
        watched.advance(T.plus(JITTER));
        watched.looked();
        assertThat(monitor.recovered()).isZero();
        watched.advance(longer.plus(JITTER));
        until(() -> monitor.recovered() == 1);
    }

    @Test
    void jobs_that_the_feed_tells_of_are_recovered_while_the_index_does_not_answer() throws Exception {
        Faults.Held held = watched.couch.faults().delay(1, path("/_view/owned"));
        ActivityMonitor monitor = watched.monitor("me");
        assertThat(held.awaitArrival(30)).isTrue();
        watched.owned("1", "dead", "");
        watched.looked();
        watched.advance(T.plus(JITTER));
        until(() -> monitor.recovered() == 1);
        held.release();
    }

    @Test
    void a_recovery_that_could_not_be_stored_is_tried_again() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        watched.owned("1", "dead", "");
        watched.looked();
        watched.couch.faults().answer(5, path("/_bulk_docs"), 500);
        watched.advance(T.plus(JITTER));
        until(() -> monitor.recovered() == 1);
    }

    @Test
    void many_jobs_of_one_dead_owner_cost_little_more_than_a_reading_each() throws Exception {
        int jobs = 150;
        ActivityMonitor monitor = watched.monitor("me");
        for (int i = 0; i < jobs; i++) {
            watched.owned("j" + i, "dead", "");
        }
        watched.looked();
        AtomicInteger requests = new AtomicInteger();
        watched.couch.faults().answer(1, request -> requests.incrementAndGet() < 0, 500);
        watched.advance(T.plus(JITTER));
        until(() -> monitor.recovered() == jobs);
        assertThat(requests.get()).isLessThan(jobs + jobs / 2);
    }

    @Test
    void trouble_with_one_job_does_not_keep_others_from_being_recovered() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        for (String id : new String[] {"a", "b", "c", "d"}) {
            watched.owned(id, "dead", "");
        }
        watched.looked();
        watched.couch.faults().answer(100_000, path("job:email:b").or(path("job%3Aemail%3Ab")), 500);
        watched.advance(T.plus(JITTER));
        until(() -> monitor.recovered() == 3);
    }

    @Test
    void settings_that_cannot_be_read_delay_a_recovery_and_do_not_lose_it() throws Exception {
        watched.couch.faults().answer(4, path("/type").and(r -> r.method().equals("GET")), 500);
        ActivityMonitor monitor = watched.monitor("me");
        watched.owned("1", "dead", "");
        until(() -> {
            watched.advance(T.plus(JITTER));
            return monitor.recovered() == 1;
        });
    }

    @Test
    void a_registration_that_cannot_be_removed_harms_nobody() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        watched.queue.database().put(Jobs.json("{'_id':'worker:gone','pid':1,'types':[],'beat':0,'at':0}"));
        watched.looked();
        watched.couch.faults().answer(100_000, path("gone").and(r -> !r.method().equals("GET")), 500);
        watched.owned("1", "dead", "");
        watched.looked();
        watched.advance(T.plus(JITTER));
        until(() -> monitor.recovered() == 1);
        watched.advance(T);
        watched.owned("2", "dead", "");
        watched.looked();
        watched.advance(T.plus(JITTER));
        until(() -> monitor.recovered() == 2);
    }

    @Test
    void a_feed_that_is_interrupted_all_the_time_does_not_keep_a_dead_owner_alive() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        watched.owned("1", "dead", "");
        watched.looked();
        for (int i = 0; i < 4; i++) {
            monitor.reconnected();
            watched.looked();
            watched.advance(T.plus(JITTER).dividedBy(4));
        }
        until(() -> monitor.recovered() == 1);
    }

    @Test
    void a_database_that_was_deleted_and_made_anew_is_watched_again() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        watched.owned("1", "dead", "");
        watched.looked();
        watched.queue.database().delete();
        watched.advance(T.plus(JITTER));
        watched.queue.operations().init();
        watched.owned("1", "dead", "");
        until(() -> {
            watched.advance(T.plus(JITTER));
            return monitor.recovered() == 1;
        });
    }

    @Test
    void an_owned_job_that_was_overwritten_by_something_else_is_left_alone() throws Exception {
        ActivityMonitor monitor = watched.monitor("me");
        watched.owned("1", "dead", "");
        watched.owned("2", "dead", "");
        watched.looked();
        var document = watched.queue.database().get("job:email:1").orElseThrow();
        document.put("priority", "urgent");
        watched.queue.database().put(document);
        watched.advance(T.plus(JITTER));
        until(() -> monitor.recovered() == 1);
        assertThat(watched.queue
                        .database()
                        .get("job:email:1")
                        .orElseThrow()
                        .path("status")
                        .asText())
                .isEqualTo("running");
    }

    @Test
    void while_nobody_owns_a_job_it_looks_seldom() {
        try (SteppedMonitor monitor = new SteppedMonitor(watched.queue)) {
            assertThat(monitor.pauseAfterLook()).isGreaterThan(Duration.ofSeconds(30));
            watched.owned("1", "dead", "");
            assertThat(monitor.pauseAfterLook()).isLessThanOrEqualTo(Duration.ofSeconds(1));
        }
    }

    private String put(String document) {
        return ((WriteResult.Stored) watched.queue.database().put(Jobs.json(document))).rev();
    }

    private static Predicate<Faults.Request> path(String part) {
        return request -> request.path().contains(part);
    }
}
