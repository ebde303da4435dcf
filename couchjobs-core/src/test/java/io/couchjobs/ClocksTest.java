package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.embedded.junit.TestServer;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SteppedWorkers;
import io.couchjobs.testing.TcpProxy;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server's clock is this machine's; those of the processes are set as each test says. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class ClocksTest {
    private static final Duration TWO_HOURS = Duration.ofHours(2);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile Duration set = Duration.ZERO;

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2H", "PT-2H", "PT87600H", "PT-1.3S"})
    void a_scheduled_job_runs_within_two_seconds_of_its_time_by_the_servers_clock(Duration wrong, TestDatabase database)
            throws Exception {
        set = wrong;
        try (JobQueue queue = queue(database);
                JobQueue right = TestQueue.open(database)) {
            List<Duration> later = new ArrayList<>();
            for (int i = 0; i < 3 && later.stream().noneMatch(ClocksTest::isSoon); i++) {
                Instant due = Instant.now().plusMillis(1500);
                queue.add(request("at" + i, due));
                queue.add(request("control", "at" + i, due));
                Future<Duration> control = lateness(right, "control", due);
                Duration late = lateness(queue, "email", due).get(40, TimeUnit.SECONDS);
                Duration busy = control.get(40, TimeUnit.SECONDS);
                System.out.println("a clock that is off by " + wrong + ": late by " + late + ", a right one " + busy);
                assertThat(late).isGreaterThan(Duration.ofMillis(-1400));
                later.add(late.minus(busy));
            }
            assertThat(Collections.min(later))
                    .as("what is late every time is not so because the machine is busy")
                    .matches(ClocksTest::isSoon);
        }
    }

    private static boolean isSoon(Duration later) {
        return later.compareTo(Duration.ofSeconds(2)) < 0;
    }

    @Test
    void a_clock_that_is_set_while_an_accept_waits_changes_nothing(TestDatabase database) throws Exception {
        try (JobQueue queue = queue(database)) {
            for (Duration jump : new Duration[] {TWO_HOURS, TWO_HOURS.negated(), Duration.ZERO}) {
                Instant due = Instant.now().plusMillis(2500);
                queue.add(request("after" + jump, due));
                Future<List<ClaimedJob>> accept = accept(queue);
                set = jump;
                queue.add("other", Map.of());
                lateness(due, accept);
            }
        }
    }

    @Test
    void the_times_in_documents_are_by_the_servers_clock(TestDatabase database) throws Exception {
        set = TWO_HOURS;
        try (JobQueue queue = queue(database)) {
            queue.add(request("1", Instant.EPOCH));
            accept(queue).get(20, TimeUnit.SECONDS).get(0).finish();
            Job job = queue.get("email", "1").orElseThrow();
            assertThat(job.times()).containsKeys("created", "claimed", "started", "finished");
            assertThat(job.times().values()).allSatisfy(time -> assertThat(Duration.between(time, Instant.now()))
                    .isBetween(Duration.ofSeconds(-2), Duration.ofSeconds(25)));
        }
    }

    @Test
    void workers_with_clocks_hours_apart_neither_steal_nor_stall_a_lease(TestDatabase database) throws Exception {
        InstantSource early = () -> Instant.now().minus(TWO_HOURS);
        InstantSource late = () -> Instant.now().plus(TWO_HOURS);
        Duration timeout = Duration.ofMillis(1500);
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (JobQueue ahead = TestQueue.builder(database).clock(late).open();
                JobQueue behind = TestQueue.builder(database).clock(early).open();
                SteppedWorkers timeAhead = new SteppedWorkers(ahead, late);
                SteppedWorkers timeBehind = new SteppedWorkers(behind, early)) {
            ahead.add(request("dead", Instant.EPOCH));
            try (JobQueue dying = TestQueue.builder(database).clock(late).open()) {
                accept(dying).get(20, TimeUnit.SECONDS);
            }
            Instant died = Instant.now();
            ahead.types().setTimeout("email", timeout);
            ahead.add(request("long", Instant.EPOCH));
            try (Worker owner = worker(timeAhead, runs, running, end)) {
                running.await();
                try (Worker other = worker(timeBehind, runs, running, end)) {
                    for (int third = 0; third < 9 || (third < 100 && !isFinished(behind, "dead")); third++) {
                        timeAhead.awaitRenewal(owner);
                        timeAhead.pass(timeout.dividedBy(3));
                        timeBehind.pass(timeout.dividedBy(3));
                    }
                    Job dead = behind.get("email", "dead").orElseThrow();
                    assertThat(dead.expirations()).isEqualTo(1);
                    assertThat(Duration.between(died, dead.times().get("expired")))
                            .as("the clocks of the documents are known to 2 s")
                            .isBetween(Duration.ofSeconds(-2), Duration.ofMinutes(2));
                    end.countDown();
                    Job longJob = TestQueue.finished(behind, "email", "long");
                    assertThat(longJob.expirations()).isZero();
                    assertThat(runs).hasValue(2);
                    TestQueue.until(
                            () -> owner.stats().recovered() + other.stats().recovered() == 1);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Dxte: ", "Date: Xyz, ", "Date: Thu, 01 Jan 1970 00:00:01 GMT"})
    void the_local_clock_counts_where_the_server_tells_no_time(String date, TestDatabase database) throws Exception {
        try (TcpProxy proxy = new TcpProxy(database.serverUrl())) {
            proxy.change(text -> withDate(text, date));
            set = TWO_HOURS;
            TestServer behind = new TestServer(proxy.url(), database.user(), database.password(), "");
            try (JobQueue queue = TestQueue.builder(new TestDatabase(behind, database.name()))
                    .clock(() -> Instant.now().plus(set))
                    .open()) {
                queue.add(request("1", Instant.now().plus(TWO_HOURS).minusSeconds(10)));
                assertThat(accept(queue).get(20, TimeUnit.SECONDS)).hasSize(1);
            }
        }
    }

    /** Puts another date over the server's, or spoils the header's name. */
    private static String withDate(String answer, String date) {
        int at = answer.indexOf("\r\nDate: ");
        return at < 0 ? answer : answer.substring(0, at + 2) + date + answer.substring(at + 2 + date.length());
    }

    /** The long job runs until the end is told. */
    private static Worker worker(SteppedWorkers time, AtomicInteger runs, CountDownLatch running, CountDownLatch end) {
        return time.worker()
                .concurrency(1)
                .handler("email", (data, context) -> {
                    runs.incrementAndGet();
                    if (context.id().id().equals("long")) {
                        running.countDown();
                        end.await();
                    }
                    return null;
                })
                .start();
    }

    private static boolean isFinished(JobQueue queue, String id) {
        return queue.get("email", id).orElseThrow().status() == JobStatus.SUCCESS;
    }

    private JobQueue queue(TestDatabase database) {
        return TestQueue.builder(database).clock(() -> Instant.now().plus(set)).open();
    }

    private Future<List<ClaimedJob>> accept(JobQueue queue) {
        return threads.submit(() -> queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE)));
    }

    /** By how much later than it was due a job is taken, measured where it is taken. */
    private Future<Duration> lateness(JobQueue queue, String type, Instant due) {
        return threads.submit(() -> {
            assertThat(queue.accept(AcceptOptions.of(type).timeout(TestQueue.PATIENCE)))
                    .hasSize(1);
            return Duration.between(due, Instant.now());
        });
    }

    private static Duration lateness(Instant due, Future<List<ClaimedJob>> accept) throws Exception {
        assertThat(accept.get(40, TimeUnit.SECONDS)).hasSize(1);
        Duration late = Duration.between(due, Instant.now());
        assertThat(late).isBetween(Duration.ofMillis(-1400), Duration.ofSeconds(30));
        return late;
    }

    private static JobRequest request(String id, Instant time) {
        return request("email", id, time);
    }

    private static JobRequest request(String type, String id, Instant time) {
        return JobRequest.builder(type)
                .id(id)
                .data(Map.of())
                .scheduledTime(time)
                .build();
    }
}
