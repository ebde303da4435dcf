package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerStats;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
        WorkerStats stats = run(jobs, 500, i -> JobRequest.of("email", Map.of("i", i)));

        assertThat(stats.conflicts()).as("claims lost to nobody but itself").isZero();
        assertThat(count(DUE)).as("reads of the index").isBetween(4, 20);
        assertThat(count(BULK)).as("bulk requests").isLessThan(2 * jobs / 6);
    }

    @Test
    void jobs_with_times_of_their_own_are_run_once_each_over_many_windows() throws InterruptedException {
        Instant start = Instant.now().minusSeconds(100_000);
        WorkerStats stats = run(3_000, 300, i -> JobRequest.builder("email")
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
            assertThat(queue.pendingCount("email", Instant.now(), 100)).isEqualTo(24);
        }
        assertThat(count(BULK)).isBetween(3, 24);
    }

    @Test
    void who_adds_many_jobs_and_leaves_has_the_server_index_them() {
        try (JobQueue queue = open()) {
            queue.init();
            queue.addAll(jobs(999, i -> JobRequest.of("email", Map.of())));
        }
        assertThat(count(DUE)).as("some jobs are no reason").isZero();

        try (JobQueue queue = open()) {
            queue.addAll(jobs(1_000, i -> JobRequest.of("email", Map.of())));
        }
        assertThat(count(DUE)).isOne();
    }

    private WorkerStats run(int jobs, int concurrency, IntFunction<JobRequest> job) throws InterruptedException {
        Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
        try (JobQueue queue = open()) {
            queue.addAll(jobs(jobs, job));
            requests.clear();
            try (Worker worker = queue.worker()
                    .concurrency(concurrency)
                    .handler("email", (data, context) -> {
                        runs.computeIfAbsent(context.id().id(), id -> new AtomicInteger())
                                .incrementAndGet();
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
        return JobQueue.open(couch.url().resolve("/queue").toString());
    }
}
