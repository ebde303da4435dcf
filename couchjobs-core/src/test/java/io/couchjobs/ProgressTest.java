package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Progress;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

@ServerTest
class ProgressTest extends OpenQueue {
    @Test
    void progress_that_is_told_ten_thousand_times_costs_a_handful_of_writes_and_the_last_one_is_kept()
            throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    for (int i = 0; i <= 10_000; i++) {
                        context.progress(i / 100, "step " + i);
                    }
                    return null;
                })
                .start()) {
            assertThat(worker.stats().failed()).isZero();
            add("1");
            Job done = TestQueue.finished(queue, "email", "1");
            assertThat(done.progress()).contains(new Progress(100, "step 10000"));
            assertThat(Rev.generation(done.rev().orElseThrow())).isLessThan(10);
        }
    }

    @Test
    void progress_is_seen_while_the_job_runs_though_the_handler_says_no_more() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    context.progress(10, "begun");
                    context.progress(20, "on it");
                    seen.await();
                    return null;
                })
                .start()) {
            assertThat(worker.stats().failed()).isZero();
            add("1");
            TestQueue.until(() ->
                    queue.get("email", "1").flatMap(Job::progress).equals(Optional.of(new Progress(20, "on it"))));
            seen.countDown();
            TestQueue.finished(queue, "email", "1");
        }
    }

    @Test
    void a_run_whose_job_is_removed_while_it_tells_its_progress_is_forgotten() throws Exception {
        AtomicReference<WeakReference<JobContext>> run = new AtomicReference<>();
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    run.set(new WeakReference<>(context));
                    context.progress(1, "begun");
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        context.progress(2, "stopped");
                    }
                    return null;
                })
                .start()) {
            add("1");
            TestQueue.until(() -> queue.get("email", "1").flatMap(Job::progress).isPresent());
            queue.remove("email", "1");
            TestQueue.until(() -> worker.stats().halted() == 1);
            TestQueue.until(
                    Duration.ofMillis(400),
                    () -> { // each collection stops all other tests, too
                        System.gc();
                        return run.get().refersTo(null);
                    });
        }
    }

    @Test
    void progress_of_a_failed_run_is_kept_and_that_of_a_released_job_is_not() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    context.progress(-5, "half");
                    if (context.id().id().equals("fails")) {
                        throw new IllegalStateException("no");
                    }
                    running.countDown();
                    new CountDownLatch(1).await();
                    return null;
                })
                .start();
        queue.add(JobRequest.builder("email")
                .id("fails")
                .data(Map.of())
                .maxRetries(0)
                .build());
        assertThat(TestQueue.finished(queue, "email", "fails").progress()).contains(new Progress(0, "half"));
        add("released");
        running.await();
        worker.close(Duration.ZERO);
        assertThat(queue.get("email", "released").orElseThrow().progress()).isEmpty();
    }

    private void add(String id) {
        queue.add(JobRequest.builder("email").id(id).data(Map.of()).build());
    }
}
