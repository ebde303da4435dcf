package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.OtherProcess;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class WakeUpsTest {
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final Instant far = Instant.now().plus(Duration.ofDays(1)).truncatedTo(ChronoUnit.SECONDS);

    private volatile Duration ahead = Duration.ZERO;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private JobQueue queue;
    private JobQueue other;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        other = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        queue.close();
        other.close();
        threads.shutdownNow();
    }

    @Test
    void an_add_by_another_process_wakes_an_accept(TestDatabase database) throws Exception {
        Process process = OtherProcess.start(OtherProcess.Adding.class, database, "25");
        try {
            List<Long> millis = new ArrayList<>();
            for (int i = 0; i < 25; i++) {
                ClaimedJob claim = accept("email").get(60, TimeUnit.SECONDS).get(0);
                Instant now = Instant.now();
                millis.add(now.toEpochMilli() - claim.data().path("sent").asLong());
                claim.finish();
            }
            millis.sort(null);
            System.out.println(
                    "from before the add by another process to the claim: median " + millis.get(12) + " ms, least "
                            + millis.get(0) + " ms, most " + millis.get(24) + " ms on " + database.serverName());
            assertThat(millis.get(12))
                    .as("median of %s; an accept that nobody wakes looks after 20 s", millis)
                    .isLessThan(10_000);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void the_only_job_is_accepted_when_its_time_comes() throws Exception {
        Instant due = Instant.now().plusMillis(1200);
        Future<List<ClaimedJob>> accept = accept("email");
        add("1", due);
        assertAcceptedAt(due, accept);
    }

    @Test
    void an_earlier_job_that_is_added_meanwhile_is_accepted_at_its_own_time() throws Exception {
        add("far", Instant.now().plusSeconds(3600));
        Future<List<ClaimedJob>> accept = accept("email");
        Instant due = Instant.now().plusMillis(1200);
        add("near", due);
        assertThat(assertAcceptedAt(due, accept).id().id()).isEqualTo("near");
    }

    @Test
    void a_job_that_is_moved_is_accepted_at_its_new_time(TestDatabase database) throws Exception {
        setClockOfQueue(database);
        add("1", far.plusSeconds(3600));
        Future<List<ClaimedJob>> accept = accept("email");
        Instant due = far.plusSeconds(1);
        other.reschedule("email", "1", far);
        other.reschedule("email", "1", due);
        letCome(far);
        assertAcceptedAt(due, accept);
    }

    @Test
    void a_cancelled_job_is_accepted_when_it_is_added_again(TestDatabase database) throws Exception {
        setClockOfQueue(database);
        add("1", far);
        Future<List<ClaimedJob>> accept = accept("email");
        other.cancel("email", "1", CancelMode.IF_QUEUED);
        Instant again = far.plusMillis(1200);
        add("1", again);
        letCome(far);
        assertAcceptedAt(again, accept);
    }

    @Test
    void a_removed_job_is_not_accepted_and_the_next_one_is(TestDatabase database) throws Exception {
        setClockOfQueue(database);
        Instant next = far.plusMillis(700);
        add("1", far);
        add("2", next);
        Future<List<ClaimedJob>> accept = accept("email");
        other.remove("email", "1");
        letCome(far);
        assertThat(assertAcceptedAt(next, accept).id().id()).isEqualTo("2");
    }

    @Test
    void a_failed_job_is_accepted_again_at_the_time_of_its_retry() throws Exception {
        other.types()
                .change(
                        "email",
                        settings -> settings.withRetryPolicy(
                                new RetryPolicy(3, Duration.ofMillis(1500), Duration.ofMillis(1500))));
        add("1", Instant.EPOCH);
        ClaimedJob claim = other.accept(AcceptOptions.of("email")).get(0);
        Future<List<ClaimedJob>> accept = accept("email");
        Instant due = claim.fail(JobError.Kind.FAILED, "boom", null, false).scheduledTime();
        assertAcceptedAt(due, accept);
    }

    @Test
    void jobs_that_are_retried_released_or_resubmitted_are_accepted_at_once() throws Exception {
        add("1", Instant.now().plusSeconds(3600));
        Future<List<ClaimedJob>> retried = accept("email");
        other.retryNow("email", "1");
        ClaimedJob first = retried.get(20, TimeUnit.SECONDS).get(0);
        Future<List<ClaimedJob>> released = accept("email");
        first.release();
        ClaimedJob second = released.get(20, TimeUnit.SECONDS).get(0);
        other.resubmit("email", "1", Instant.EPOCH);
        Future<List<ClaimedJob>> resubmitted = accept("email");
        second.finish();
        assertThat(resubmitted.get(20, TimeUnit.SECONDS)).hasSize(1);
    }

    @Test
    void a_paused_type_is_left_alone_until_it_is_resumed_and_others_are_not() throws Exception {
        other.types().change("email", settings -> settings.withPaused(true));
        add("1", Instant.now().plusMillis(300));
        Future<List<ClaimedJob>> accept = accept("email", "sms", "fax");
        other.add("fax", Map.of());
        assertThat(accept.get(20, TimeUnit.SECONDS).get(0).id().type()).isEqualTo("fax");
        Future<List<ClaimedJob>> second = accept("email", "sms", "fax");
        assertThatThrownBy(() -> second.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
        other.types().change("email", settings -> settings.withPaused(false));
        assertThat(second.get(20, TimeUnit.SECONDS).get(0).id().type()).isEqualTo("email");
    }

    @Test
    void each_job_goes_once_to_one_of_many_accepts_that_wait() throws Exception {
        List<Future<List<ClaimedJob>>> accepts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            JobQueue taker = i % 2 == 0 ? queue : other;
            accepts.add(
                    threads.submit(() -> taker.accept(AcceptOptions.of("email").timeout(FOR_EVER))));
        }
        for (int i = 0; i < 40; i++) {
            add("e" + i, Instant.EPOCH);
        }
        List<String> taken = new ArrayList<>();
        for (Future<List<ClaimedJob>> accept : accepts) {
            accept.get(40, TimeUnit.SECONDS)
                    .forEach(claim -> taken.add(claim.id().id()));
        }
        assertThat(taken).hasSize(40).doesNotHaveDuplicates();
        assertThat(queue.list(JobFilter.all(), 100))
                .allSatisfy(job -> assertThat(job.attempt()).isEqualTo(1));
    }

    @Test
    void an_accept_that_waits_for_months_or_for_ever_can_be_interrupted() throws Exception {
        for (Duration patience : new Duration[] {FOR_EVER, Duration.ofDays(200)}) {
            List<Throwable> ends = new ArrayList<>();
            Thread waiting = new Thread(() -> {
                try {
                    queue.accept(AcceptOptions.of("email").timeout(patience));
                } catch (InterruptedException | RuntimeException e) {
                    ends.add(e);
                }
            });
            waiting.start();
            TestQueue.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
            waiting.interrupt();
            waiting.join(30_000);
            assertThat(ends).singleElement().isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    void closing_the_queue_ends_the_accepts_that_wait() throws Exception {
        List<Throwable> ends = new ArrayList<>();
        Thread waiting = new Thread(() -> {
            try {
                queue.accept(AcceptOptions.of("email").timeout(FOR_EVER));
            } catch (InterruptedException | RuntimeException e) {
                ends.add(e);
            }
        });
        waiting.start();
        TestQueue.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        queue.close();
        waiting.join(30_000);
        assertThat(ends).singleElement().isInstanceOf(RuntimeException.class);
    }

    @Test
    void jobs_without_schedule_wake_an_accept_that_takes_only_those() throws Exception {
        Future<List<ClaimedJob>> accept = threads.submit(
                () -> queue.accept(AcceptOptions.of("email", "sms").noSchedule(true)));
        add("timed", Jobs.past(1));
        other.database().put(Jobs.json("{'_id':'job:sms:bare','data':{}}"));
        assertThat(accept.get(20, TimeUnit.SECONDS).get(0).id().id()).isEqualTo("bare");
    }

    private Future<List<ClaimedJob>> accept(String... types) {
        return threads.submit(() -> queue.accept(AcceptOptions.of(types).timeout(Duration.ofMinutes(2))));
    }

    private void setClockOfQueue(TestDatabase database) {
        queue.close();
        queue = TestQueue.builder(database)
                .settableClock(() -> Instant.now().plus(ahead))
                .open();
    }

    /**
     * Sets the clock to a moment before this time: whatever the test did until now, it did in time. A sleeper does not hear of its
     * clock but of every change of a type.
     */
    private void letCome(Instant time) {
        ahead = Duration.between(Instant.now(), time.minusMillis(300));
        other.types().setTimeout("fax", Duration.ofMinutes(2));
    }

    private ClaimedJob assertAcceptedAt(Instant due, Future<List<ClaimedJob>> accept) throws Exception {
        ClaimedJob claim = accept.get(40, TimeUnit.SECONDS).get(0);
        assertThat(Instant.now().plus(ahead)).isBetween(due, due.plusSeconds(30));
        return claim;
    }

    private void add(String id, Instant time) {
        other.add(JobRequest.builder("email")
                .id(id)
                .data(Map.of())
                .scheduledTime(time)
                .build());
    }
}
