package io.couchjobs.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.worker.Worker;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Traces from who adds a job to who runs it, over the document. */
@Tag("server")
@ExtendWith(CouchExtension.class)
class QueueTracingTest {
    @RegisterExtension
    static final OpenTelemetryExtension OTEL = OpenTelemetryExtension.create();

    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase database) {
        JobQueueBuilder builder =
                JobQueue.builder(database.url()).renewLeases(false).extension(QueueTracing.of(OTEL.getOpenTelemetry()));
        database.user()
                .ifPresent(user -> builder.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        queue = builder.open();
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void each_run_is_a_span_below_the_one_in_which_the_job_was_added() throws Exception {
        Span request = OTEL.getOpenTelemetry()
                .getTracer("shop")
                .spanBuilder("POST /orders")
                .startSpan();
        Scope current = request.makeCurrent();
        try {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        } finally {
            current.close();
            request.end();
        }
        run(1);

        SpanData run = span("process email");
        assertThat(run.getTraceId()).isEqualTo(request.getSpanContext().getTraceId());
        assertThat(run.getParentSpanId()).isEqualTo(request.getSpanContext().getSpanId());
        assertThat(run.getParentSpanContext().isRemote()).isTrue();
        assertThat(run.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(run.getAttributes().get(AttributeKey.stringKey("messaging.message.id")))
                .isEqualTo("1");
        assertThat(run.getAttributes().get(AttributeKey.longKey("couchjobs.attempt")))
                .isEqualTo(1);
        assertThat(run.getAttributes().get(AttributeKey.stringKey("couchjobs.worker")))
                .isEqualTo("w1");
    }

    @Test
    void a_job_that_a_handler_adds_belongs_to_the_same_trace() throws Exception {
        queue.add(JobRequest.builder("order").id("1").data(Map.of()).build());
        run(2);
        SpanData order = span("process order");
        assertThat(span("process email").getParentSpanId()).isEqualTo(order.getSpanId());
        assertThat(order.getParentSpanContext().isValid()).isFalse();
    }

    @Test
    void a_run_that_fails_says_so_and_its_retry_belongs_to_the_same_trace() throws Exception {
        queue.database().put(foreign());
        run(1);
        assertThat(queue.retryNow("broken", "1").trace()).isPresent();
        run(1);
        List<SpanData> runs = OTEL.getSpans();
        assertThat(runs).hasSize(2).allSatisfy(run -> {
            assertThat(run.getTraceId()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
            assertThat(run.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(run.getEvents()).hasSize(1);
        });
    }

    /** As a creator in any language writes it. */
    private static ObjectNode foreign() {
        ObjectNode document = JobRequest.of("broken", Map.of()).data();
        document.put("_id", "job:broken:1")
                .put("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .putObject("data");
        return document;
    }

    private void run(int jobs) throws Exception {
        Worker worker = queue.worker()
                .id("w1")
                .concurrency(1)
                .handler("email", (data, context) -> null)
                .handler("order", (data, context) -> {
                    Job job = queue.insert(JobRequest.of("email", Map.of()));
                    return job.id().id();
                })
                .handler("broken", (data, context) -> {
                    throw new IllegalStateException("on purpose");
                })
                .maxJobs(jobs)
                .start();
        worker.awaitStopped();
        worker.close();
    }

    private static SpanData span(String name) {
        return OTEL.getSpans().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
