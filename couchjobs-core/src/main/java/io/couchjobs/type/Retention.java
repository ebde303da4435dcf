package io.couchjobs.type;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Duration;
import java.util.Optional;

/**
 * The retention of finished jobs in the database. Immutable and thread-safe. Sources: darticle (delete), Riak Core Jobs (the
 * newest), docspell (30 days).
 */
public sealed interface Retention {
    /** The default retention: 30 days. */
    Duration STANDARD = Duration.ofDays(30);

    /** Finished jobs are deleted as soon as waiting callers have had time to learn of the end. */
    record Delete() implements Retention {}

    /**
     * The most recently finished jobs of each status are kept.
     *
     * @param jobs the number of jobs per status, at least 1
     */
    record Newest(int jobs) implements Retention {
        /**
         * Checks the number.
         *
         * @param jobs the number of jobs per status
         * @throws IllegalArgumentException when it is less than 1
         */
        public Newest {
            if (jobs < 1) {
                throw new IllegalArgumentException(
                        "retention must be at least 1 job (or \"delete\" to keep none): " + jobs);
            }
        }
    }

    /**
     * Finished jobs are kept for a fixed time after their end.
     *
     * @param time the time, from 1 s to 36500 days
     */
    record For(Duration time) implements Retention {
        private static final Duration LONGEST = Duration.ofDays(36_500);

        /**
         * Checks the time.
         *
         * @param time how long
         * @throws IllegalArgumentException when it is out of range
         */
        public For {
            if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "retention must be from 1 s (or \"delete\" to keep none) to 36500 days: " + time);
            }
        }
    }

    /** Finished jobs are kept until they are removed explicitly. */
    record Forever() implements Retention {}

    /**
     * Reads the retention in a settings document.
     *
     * @param json {@code "delete"}, {@code "forever"}, {@code {"newest": N}} or {@code {"time": MILLISECONDS}}
     * @return the retention; empty for an invalid value, because people edit settings too
     */
    static Optional<Retention> parse(JsonNode json) {
        try {
            if (json.path("newest").canConvertToInt() && json.path("newest").isIntegralNumber()) {
                return Optional.of(new Newest(json.path("newest").asInt()));
            }
            if (json.path("time").isIntegralNumber() && json.path("time").canConvertToLong()) {
                return Optional.of(new For(Duration.ofMillis(json.path("time").asLong())));
            }
        } catch (IllegalArgumentException outOfRange) {
            return Optional.empty();
        }
        return switch (json.asText()) {
            case "delete" -> Optional.of(new Delete());
            case "forever" -> Optional.of(new Forever());
            default -> Optional.empty();
        };
    }

    /** {@return the retention in the format of a settings document; see {@link #parse}} */
    default JsonNode toJson() {
        if (this instanceof Newest newest) {
            return JsonNodeFactory.instance.objectNode().put("newest", newest.jobs());
        }
        if (this instanceof For time) {
            return JsonNodeFactory.instance.objectNode().put("time", time.time().toMillis());
        }
        return TextNode.valueOf(this instanceof Delete ? "delete" : "forever");
    }

    /**
     * {@return the retention of failed and cancelled jobs when only this retention is set: the longer of this one and the default}
     */
    default Retention ofFailures() {
        boolean longer = this instanceof Forever
                || (this instanceof For mine && mine.time().compareTo(STANDARD) > 0);
        return longer ? this : new For(STANDARD);
    }
}
