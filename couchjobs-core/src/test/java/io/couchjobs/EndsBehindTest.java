package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A run that succeeded does not wait until that is written. */
@ServerTest
class EndsBehindTest {
    /** Of no other test: threads are known by it. */
    private static final String TYPE = "ends";

    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger runs = new AtomicInteger();
    private TestDatabase database;
    private Proxy proxy;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase fresh) throws Exception {
        database = fresh;
        proxy = Proxy.before(database.server());
        queue = TestQueue.open(proxy.door(database));
    }

    @AfterEach
    void close() {
        gate.countDown();
        queue.close();
        proxy.close();
    }

    @Test
    void no_thread_of_a_run_waits_while_its_end_is_written() throws Exception {
        proxy.detour(new HeldEnds());
        add(4);
        try (Worker worker = work(4)) {
            TestQueue.until(() -> held.get() > 0 && runs.get() == 4);
            TestQueue.until(() -> threadsOfRuns() == 0);
            assertThat(worker.stats().succeeded()).isZero();
            gate.countDown();
            TestQueue.until(() -> worker.stats().succeeded() == 4);
        }
        assertThat(statuses()).containsOnly(JobStatus.SUCCESS);
    }

    @Test
    void an_end_whose_answer_is_lost_is_found_and_the_job_does_not_run_again() throws Exception {
        AtomicBoolean lost = new AtomicBoolean();
        proxy.detour(new Proxy.Detour() {
            @Override
            public boolean returns(Proxy.Request request) {
                return !isEnd(request) || !lost.compareAndSet(false, true);
            }
        });
        add(1);
        try (Worker worker = work(1)) {
            TestQueue.until(() -> worker.stats().succeeded() == 1);
        }
        assertThat(lost).isTrue();
        assertThat(runs).hasValue(1);
        assertThat(statuses()).containsExactly(JobStatus.SUCCESS);
    }

    @Test
    void an_end_that_does_not_arrive_is_written_again() throws Exception {
        AtomicInteger cut = new AtomicInteger();
        proxy.detour(new Proxy.Detour() {
            @Override
            public boolean goes(Proxy.Request request) {
                return !isEnd(request) || cut.incrementAndGet() > 8;
            }
        });
        add(1);
        try (Worker worker = work(1)) {
            TestQueue.until(() -> worker.stats().succeeded() == 1);
        }
        assertThat(cut).hasValueGreaterThan(8);
        assertThat(runs).hasValue(1);
        assertThat(statuses()).containsExactly(JobStatus.SUCCESS);
    }

    @Test
    void a_change_of_somebody_else_meanwhile_is_kept() throws Exception {
        proxy.detour(new HeldEnds());
        add(1);
        try (JobQueue other = TestQueue.open(database);
                Worker worker = work(1)) {
            TestQueue.until(() -> held.get() > 0);
            other.resubmit(TYPE, "1");
            gate.countDown();
            TestQueue.until(() -> worker.stats().succeeded() == 1);
            assertThat(worker.stats().released())
                    .as("the first run made room for the second")
                    .isEqualTo(1);
        }
        assertThat(runs).hasValue(2);
        assertThat(statuses()).containsExactly(JobStatus.SUCCESS);
    }

    @Test
    void a_job_that_is_removed_while_its_end_is_on_the_way_is_lost_to_its_worker() throws Exception {
        proxy.detour(new HeldEnds());
        add(1);
        try (JobQueue other = TestQueue.open(database);
                Worker worker = work(1)) {
            TestQueue.until(() -> held.get() > 0);
            other.remove(TYPE, "1");
            gate.countDown();
            TestQueue.until(() -> worker.stats().halted() == 1);
            assertThat(worker.stats().succeeded()).isZero();
        }
        assertThat(runs).hasValue(1);
        TestQueue.until(() -> statuses().isEmpty());
    }

    @Test
    void a_worker_that_closes_waits_for_the_ends() throws Exception {
        proxy.detour(new HeldEnds());
        add(4);
        Worker worker = work(4);
        TestQueue.until(() -> held.get() > 0 && runs.get() == 4 && threadsOfRuns() == 0);
        Thread closer = new Thread(() -> worker.close(TestQueue.PATIENCE));
        closer.start();
        TestQueue.until(
                () -> closer.getState() == Thread.State.TIMED_WAITING || closer.getState() == Thread.State.WAITING);
        assertThat(worker.stats().succeeded()).isZero();
        gate.countDown();
        closer.join(TestQueue.PATIENCE.toMillis());
        assertThat(worker.stats().succeeded()).isEqualTo(4);
        assertThat(statuses()).containsOnly(JobStatus.SUCCESS);
    }

    @Test
    void a_listener_hears_of_an_end_when_it_is_stored_from_the_thread_of_the_run() throws Exception {
        proxy.detour(new HeldEnds());
        add(1);
        List<String> told = new CopyOnWriteArrayList<>();
        try (Worker worker = queue.worker()
                .handler(TYPE, (data, context) -> runs.incrementAndGet())
                .onRunEnded(report -> told.add(
                        report.outcome() + " in " + Thread.currentThread().getName()))
                .start()) {
            TestQueue.until(() -> held.get() > 0);
            assertThat(told).isEmpty();
            gate.countDown();
            TestQueue.until(() -> worker.stats().succeeded() == 1 && !told.isEmpty());
        }
        assertThat(told).containsExactly(RunReport.Outcome.SUCCEEDED + " in couchjobs-run-ends:1");
    }

    private void add(int jobs) {
        queue.addAll(IntStream.rangeClosed(1, jobs)
                .mapToObj(i -> JobRequest.builder(TYPE)
                        .id(String.valueOf(i))
                        .data(Map.of())
                        .build())
                .toList());
    }

    private Worker work(int places) {
        return queue.worker()
                .concurrency(places)
                .handler(TYPE, (data, context) -> runs.incrementAndGet())
                .start();
    }

    private List<JobStatus> statuses() {
        return queue.list(JobFilter.all(), 1_000).stream().map(Job::status).toList();
    }

    private static long threadsOfRuns() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("couchjobs-run-" + TYPE))
                .count();
    }

    private static boolean isEnd(Proxy.Request request) {
        return request.isBulkWrite() && request.body().contains("\"status\":\"success\"");
    }

    /** Ends wait before the server until the gate is open. */
    private final class HeldEnds implements Proxy.Detour {
        @Override
        public boolean goes(Proxy.Request request) throws InterruptedException {
            if (isEnd(request)) {
                held.incrementAndGet();
                gate.await();
            }
            return true;
        }
    }
}
