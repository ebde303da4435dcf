package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The trace of a job's creator as the job carries it, so that its runs belong to that trace. In the job's document
 * these are the strings {@code traceparent} and {@code tracestate}, which a creator in any language may write.
 * Immutable and thread-safe. Source: W3C Trace Context.
 *
 * @param traceparent version, trace, parent and flags, such as {@code
 *     00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01}
 * @param tracestate the vendors' additions, or null for none
 */
public record TraceContext(String traceparent, @Nullable String tracestate) {
    private static final int LONGEST = 8_000;

    /**
     * Checks the lengths; the tracing library judges the content.
     *
     * @param traceparent version, trace, parent and flags
     * @param tracestate the vendors' additions, or null for none
     * @throws IllegalArgumentException when traceparent is empty, or one of them is absurdly long
     */
    public TraceContext {
        if (traceparent.isBlank() || traceparent.length() > LONGEST) {
            throw new IllegalArgumentException("traceparent must have 1 to " + LONGEST + " characters");
        }
        if (tracestate != null && (tracestate.isEmpty() || tracestate.length() > LONGEST)) {
            tracestate = null; // may be dropped, and the trace is not lost
        }
    }

    /** Anything that is no valid context counts as none: a job runs also when its trace is broken. */
    static Optional<TraceContext> of(JsonNode document) {
        JsonNode parent = document.path(Field.TRACEPARENT);
        if (!parent.isTextual() || parent.asText().isBlank() || parent.asText().length() > LONGEST) {
            return Optional.empty();
        }
        JsonNode state = document.path(Field.TRACESTATE);
        return Optional.of(new TraceContext(parent.asText(), state.isTextual() ? state.asText() : null));
    }

    static void write(@Nullable TraceContext trace, ObjectNode document) {
        document.remove(Field.TRACEPARENT);
        document.remove(Field.TRACESTATE);
        if (trace != null) {
            document.put(Field.TRACEPARENT, trace.traceparent);
            if (trace.tracestate != null) {
                document.put(Field.TRACESTATE, trace.tracestate);
            }
        }
    }
}
