package io.couchjobs.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.QueueExtension;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.worker.Worker;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When there are gauges, and what they leave out. */
class QueueGaugesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().start();

    /** Fails when it is told that the queue is open. */
    private static final class Unready implements QueueExtension {
        private final Throwable trouble;

        Unready(Throwable trouble) {
            this.trouble = trouble;
        }

        @Override
        public void opened(JobQueue queue) {
            if (trouble instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) trouble;
        }
    }

    @AfterEach
    void stop() {
        couch.close();
    }

    private JobQueueBuilder builder(QueueMetrics metrics) {
        return JobQueue.builder(URI.create(couch.url() + "jobs")).extension(metrics);
    }

    private QueueMetrics metrics() {
        return QueueMetrics.of(registry).readEvery(Duration.ZERO);
    }

    @Test
    void a_queue_that_is_opened_again_counts_its_own_runs() throws Exception {
        for (int n = 0; n < 2; n++) {
            try (JobQueue queue = builder(metrics()).open()) {
                assertThat(runningInHandler(queue)).isEqualTo(1);
            }
            assertThat(registry.find("couchjobs.jobs.running").gauges()).isEmpty();
        }
    }

    @Test
    void metrics_that_get_a_second_queue_count_its_runs() throws Exception {
        QueueMetrics metrics = metrics();
        for (int n = 0; n < 2; n++) {
            try (JobQueue queue = builder(metrics).open()) {
                assertThat(runningInHandler(queue)).isEqualTo(1);
            }
        }
    }

    private double runningInHandler(JobQueue queue) throws Exception {
        CompletableFuture<Double> running = new CompletableFuture<>();
        queue.add("email", Map.of());
        try (Worker worker = queue.worker()
                .handler(
                        "email",
                        (data, context) -> running.complete(
                                registry.get("couchjobs.jobs.running").gauge().value()))
                .start()) {
            assertThat(worker.concurrency()).isPositive();
            return running.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void a_queue_that_could_not_be_opened_leaves_no_gauges() {
        QueueMetrics metrics = metrics();
        for (Throwable trouble :
                new Throwable[] {new IllegalStateException("on purpose"), new AssertionError("on purpose")}) {
            JobQueueBuilder unready = builder(metrics).extension(new Unready(trouble));
            assertThatThrownBy(() -> unready.open().close()).isSameAs(trouble);
            assertThat(registry.getMeters()).noneMatch(Gauge.class::isInstance);
        }
        try (JobQueue queue = builder(metrics).open()) {
            queue.add("email", Map.of());
            until(() -> age() >= 0);
            until(() -> depth() == 1);
        }
    }

    @Test
    void a_job_that_is_due_while_its_type_is_paused_has_not_waited() {
        try (JobQueue queue = builder(metrics()).open()) {
            queue.add("email", Map.of());
            until(() -> age() >= 0);
            until(() -> oldestDue() > 0);
            queue.types().change("email", settings -> settings.withPaused(true));
            until(() -> age() >= 0);
            until(() -> oldestDue() == 0);
            queue.types().change("email", settings -> settings.withPaused(false));
            until(() -> age() >= 0);
            until(() -> oldestDue() > 0);
        }
    }

    private double age() {
        return registry.get("couchjobs.queue.numbers.age").gauge().value();
    }

    private double depth() {
        return registry.get("couchjobs.queue.depth")
                .tag("status", "waiting")
                .gauge()
                .value();
    }

    private double oldestDue() {
        return registry.get("couchjobs.queue.oldest.due").gauge().value();
    }

    /** The index is read in the background. */
    private static void until(BooleanSupplier holds) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as("the time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
