package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SteppedWorkers;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class HeartbeatTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    @Test
    void a_heartbeat_costs_one_write_per_worker_and_period_however_many_jobs_run(TestDatabase database)
            throws Exception {
        int jobs = 30;
        CountDownLatch running = new CountDownLatch(jobs);
        CountDownLatch end = new CountDownLatch(1);
        try (JobQueue queue = TestQueue.open(database)) {
            queue.types().setTimeout("email", TIMEOUT);
            try (SteppedWorkers time = new SteppedWorkers(queue);
                    Worker worker = time.worker()
                            .concurrency(jobs)
                            .handler("email", (data, context) -> {
                                running.countDown();
                                end.await();
                                return null;
                            })
                            .start()) {
                for (int i = 0; i < jobs; i++) {
                    queue.add(JobRequest.of("email", Map.of()));
                }
                running.await();
                long before = writes(queue, worker);
                long started = System.nanoTime();
                TestQueue.until(() -> writes(queue, worker) >= before + 3);
                Duration took = Duration.ofNanos(System.nanoTime() - started);

                assertThat(queue.list(JobFilter.all(), 100))
                        .hasSize(jobs)
                        .extracting(HeartbeatTest::writes)
                        .as("the writes of each job: added, claimed")
                        .containsOnly(2L);
                assertThat(took)
                        .as("three beats, one every third of the timeout")
                        .isGreaterThan(Duration.ofMillis(1500));
                end.countDown();
            }
        }
    }

    private static long writes(JobQueue queue, Worker worker) {
        return Rev.generation(queue.database()
                .get("worker:" + worker.id())
                .orElseThrow()
                .path("_rev")
                .asText());
    }

    private static long writes(Job job) {
        return Rev.generation(job.rev().orElseThrow());
    }
}
