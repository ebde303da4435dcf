package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What very many jobs cost: few requests, and no job is claimed twice by the one worker that is there. */
@Timeout(120)
class BusyWorkersTest {
    private static final String DUE = "/_view/due";
    private static final String BULK = "/_bulk_docs";

    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start();
    private final Map<String, AtomicInteger> requests = new ConcurrentHashMap<>();
    private final AtomicInteger readsUntilAllWereClaimed = new AtomicInteger();

    @BeforeEach
    void countRequests() {
        couch.faults()
                .answer(
                        1,
                        request -> {
                            String path = request.path();
                            String kind = path.contains(DUE) ? DUE : path.endsWith(BULK) ? BULK : "other";
                            requests.computeIfAbsent(kind, any -> new AtomicInteger())
                                    .incrementAndGet();
                            return false;
                        },
                        500);
    }

    @AfterEach
    void stop() {
        couch.close();
    }

    @Test
    void windows_grow_while_jobs_without_a_time_are_run_fast_and_writes_go_in_bulk() throws InterruptedException {
        int jobs = 6_000;
        Worker.Stats stats = run(jobs, 500, i -> JobRequest.of("email", Map.of("i", i)));

        assertThat(stats.conflicts()).as("claims lost to nobody but itself").isZero();
        assertThat(readsUntilAllWereClaimed).as("reads of the index").hasValueBetween(4, 20);
        assertThat(count(BULK)).as("bulk requests, of " + 2 * jobs + " writes").isLessThan(2 * jobs / 3);
    }

    @Test
    void jobs_with_times_of_their_own_are_run_once_each_over_many_windows() throws InterruptedException {
        Instant start = Instant.now().minusSeconds(100_000);
        Worker.Stats stats = run(3_000, 300, i -> JobRequest.builder("email")
                .id("job-" + (i * 7919L % 100_003))
                .scheduledTime(start.plusSeconds(i))
                .data(Map.of())
                .build());

        assertThat(stats.conflicts()).isZero();
    }

    @Test
    void many_large_jobs_do_not_travel_in_one_request() {
        String large = "x".repeat(1_000_000);
        try (JobQueue queue = open()) {
            queue.addAll(IntStream.range(0, 24)
                    .mapToObj(i -> JobRequest.of("email", Map.of("text", large)))
                    .toList());
            assertThat(queue.types().pendingCount("email", Instant.now(), 100)).isEqualTo(24);
        }
        assertThat(count(BULK)).isBetween(3, 24);
    }

    @Test
    void a_process_that_adds_many_jobs_and_leaves_makes_the_server_index_them() {
        try (JobQueue queue = open()) {
            queue.operations().init();
            queue.addAll(jobs(999, i -> JobRequest.of("email", Map.of())));
        }
        assertThat(count(DUE)).as("some jobs are no reason").isZero();

        try (JobQueue queue = open()) {
            queue.addAll(jobs(1_000, i -> JobRequest.of("email", Map.of())));
        }
        assertThat(count(DUE)).isOne();
    }

    /** Its registration says that half of the jobs are its, and it will be half an hour until that is cleaned up. */
    @Test
    void a_worker_that_takes_many_jobs_at_once_also_does_the_share_of_a_worker_that_never_comes()
            throws InterruptedException {
        try (JobQueue queue = open()) {
            queue.operations().init();
            ObjectNode registration = JsonNodeFactory.instance.objectNode();
            registration.put("_id", "worker:ghost").putArray("types").add("email");
            queue.database().put(registration);
        }
        run(3_000, 500, i -> JobRequest.of("email", Map.of()));
    }

    @Test
    void workers_that_take_many_at_once_share_a_long_queue() throws Exception {
        int jobs = 6_000;
        Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
        CountDownLatch bothWork = new CountDownLatch(2);
        try (JobQueue one = open();
                JobQueue other = open()) {
            one.addAll(jobs(jobs, i -> JobRequest.of("email", Map.of())));
            try (Worker first = sharing(one, runs, bothWork);
                    Worker second = sharing(other, runs, bothWork)) {
                TestQueue.until(() -> first.stats().succeeded() + second.stats().succeeded() >= jobs);
                long lost = first.stats().conflicts() + second.stats().conflicts();
                assertThat(lost).as("claims lost to each other").isLessThan(jobs / 4);
            }
        }
        assertThat(runs).hasSize(jobs);
        assertThat(runs.values()).as("each job ran once").allMatch(times -> times.get() == 1);
    }

    /** A worker that goes on with its jobs only when the other has begun, too. */
    private static Worker sharing(JobQueue queue, Map<String, AtomicInteger> runs, CountDownLatch bothWork) {
        AtomicBoolean works = new AtomicBoolean();
        return queue.worker()
                .concurrency(500)
                .handler("email", (data, context) -> {
                    if (works.compareAndSet(false, true)) {
                        bothWork.countDown();
                    }
                    bothWork.await();
                    runs.computeIfAbsent(context.id().id(), id -> new AtomicInteger())
                            .incrementAndGet();
                    return null;
                })
                .start();
    }

    private Worker.Stats run(int jobs, int concurrency, IntFunction<JobRequest> job) throws InterruptedException {
        Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
        try (JobQueue queue = open()) {
            queue.addAll(jobs(jobs, job));
            requests.clear();
            try (Worker worker = queue.worker()
                    .concurrency(concurrency)
                    .handler("email", (data, context) -> {
                        runs.computeIfAbsent(context.id().id(), id -> new AtomicInteger())
                                .incrementAndGet();
                        if (runs.size() < jobs) {
                            readsUntilAllWereClaimed.set(count(DUE));
                        }
                        return null;
                    })
                    .untilEmpty()
                    .start()) {
                worker.awaitStopped();
                assertThat(runs).hasSize(jobs);
                assertThat(runs.values()).allMatch(times -> times.get() == 1);
                return worker.stats();
            }
        }
    }

    private static List<JobRequest> jobs(int count, IntFunction<JobRequest> job) {
        return IntStream.range(0, count).mapToObj(job).toList();
    }

    private int count(String kind) {
        return requests.getOrDefault(kind, new AtomicInteger()).get();
    }

    private JobQueue open() {
        return JobQueue.builder(couch.url().resolve("/queue").toString())
                .renewLeases(false)
                .open();
    }
}
