package io.couchjobs.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.worker.Worker;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When there are gauges, and what they leave out. */
class QueueGaugesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().start();

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
}
