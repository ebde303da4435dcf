package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.document.Field;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One thing that went wrong with a job, as kept in its bounded error history. Immutable and thread-safe.
 *
 * @param attempt the run it happened in, 1 for the first
 * @param at when it happened
 * @param kind what happened
 * @param message the problem, in words
 * @param stackTrace the stack trace of a failed handler, or null
 */
public record JobError(
        int attempt,
        Instant at,
        Kind kind,
        String message,
        @Nullable String stackTrace) {
    static JobError of(JsonNode error) {
        return new JobError(
                error.path(Field.ATTEMPT).asInt(),
                Instant.ofEpochMilli(error.path(Field.AT).asLong()),
                Kind.fromJson(error.path(Field.KIND).asText()),
                error.path(Field.MESSAGE).asText(),
                error.hasNonNull(Field.STACK) ? error.path(Field.STACK).asText() : null);
    }

    /** {@return the stack trace of a failed handler, if there is one} */
    public Optional<String> stack() {
        return Optional.ofNullable(stackTrace);
    }

    /** The ways in which a run can go wrong. Immutable and thread-safe. Source: Riak Core Jobs. */
    public enum Kind {
        /** The handler failed. */
        FAILED,
        /** The process that ran the handler died. */
        CRASHED,
        /** The run took longer than its time limit. */
        KILLED,
        /** The owner gave no sign of life for the type's timeout. */
        EXPIRED,
        /** The job was cancelled. */
        CANCELLED;

        /** {@return the kind as the job document spells it, such as {@code "failed"}} */
        public String json() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Kind fromJson(String json) {
            for (Kind kind : values()) {
                if (kind.json().equals(json)) {
                    return kind;
                }
            }
            return FAILED;
        }
    }
}
