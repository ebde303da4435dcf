package io.couchjobs.telemetry;

import io.couchjobs.QueueExtension;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Lock;
import io.couchjobs.job.TraceContext;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.SnoozeException;
import io.couchjobs.worker.WorkerBuilder;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Propagates OpenTelemetry traces from the creator of a job to its owner. A job that is added while a span is current stores the
 * span's context in its document ({@link TraceContext}), always in the W3C format. Each run of the job, including a retry, is a
 * child span, which is current while the handler runs. Immutable and thread-safe; one instance can serve any number of queues.
 *
 * <pre>{@code
 * JobQueue queue = JobQueue.builder(url).extension(QueueTracing.of(openTelemetry)).open();
 * }</pre>
 */
public final class QueueTracing implements QueueExtension {
    private static final String TRACEPARENT = "traceparent";
    private static final String TRACESTATE = "tracestate";
    private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();

    private final Tracer tracer;

    private QueueTracing(Tracer tracer) {
        this.tracer = tracer;
    }

    /**
     * Creates the extension.
     *
     * @param openTelemetry receives the spans
     * @return an extension
     */
    public static QueueTracing of(OpenTelemetry openTelemetry) {
        return new QueueTracing(openTelemetry.getTracer("io.couchjobs"));
    }

    @Override
    public JobRequest adding(JobRequest request) {
        Map<String, String> fields = new HashMap<>();
        W3C.inject(Context.current(), fields, (map, key, value) -> {
            if (map != null) {
                map.put(key, value);
            }
        });
        String parent = fields.get(TRACEPARENT);
        return parent == null ? request : request.tracedBy(new TraceContext(parent, fields.get(TRACESTATE)));
    }

    @Override
    public void worker(WorkerBuilder worker) {
        worker.interceptor(this::around);
    }

    private @Nullable Object around(JobContext context, Callable<@Nullable Object> run) throws Exception {
        Span span = span(context);
        Scope current = span.makeCurrent();
        try {
            return run.call();
        } catch (Throwable thrown) {
            if (!(thrown instanceof SnoozeException)) {
                span.recordException(thrown);
                span.setStatus(StatusCode.ERROR, String.valueOf(thrown.getMessage()));
            }
            throw thrown;
        } finally {
            context.stopReason().ifPresent(reason -> span.setAttribute("couchjobs.stopped", reason.name()));
            current.close();
            span.end();
        }
    }

    /** Starts the span of a run. The names follow OpenTelemetry's semantic conventions for messaging. */
    private Span span(JobContext context) {
        Job job = context.job();
        return tracer.spanBuilder("process " + job.type())
                .setParent(parent(job))
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute("messaging.system", "couchjobs")
                .setAttribute("messaging.operation.type", "process")
                .setAttribute("messaging.destination.name", job.type())
                .setAttribute("messaging.message.id", job.id().id())
                .setAttribute("couchjobs.attempt", (long) context.attempt())
                .setAttribute("couchjobs.fence", context.fence())
                .setAttribute("couchjobs.worker", job.lock().map(Lock::worker).orElse(""))
                .startSpan();
    }

    private static Context parent(Job job) {
        return job.trace()
                .map(trace -> W3C.extract(Context.root(), trace, Fields.INSTANCE))
                .orElseGet(Context::root);
    }

    private enum Fields implements TextMapGetter<TraceContext> {
        INSTANCE;

        @Override
        public Iterable<String> keys(TraceContext trace) {
            return List.of(TRACEPARENT, TRACESTATE);
        }

        @Override
        public @Nullable String get(@Nullable TraceContext trace, String key) {
            if (trace == null) {
                return null;
            }
            return switch (key) {
                case TRACEPARENT -> trace.traceparent();
                case TRACESTATE -> trace.tracestate();
                default -> null;
            };
        }
    }
}
