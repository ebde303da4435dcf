package io.couchjobs.type;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Duration;
import java.util.Optional;

/**
 * How long finished jobs stay in the database. Immutable and thread-safe. Sources: darticle (delete), Riak Core Jobs (the
 * newest), docspell (30 days).
 */
public sealed interface Retention {
    /** For how long finished jobs stay where nothing is set: 30 days. */
    Duration STANDARD = Duration.ofDays(30);

    /** They are deleted once the callers that wait for them have had time to hear that they finished. */
    record Delete() implements Retention {}

    /**
     * The jobs that finished last stay, per status.
     *
     * @param jobs how many, at least 1
     */
    record Newest(int jobs) implements Retention {
        /**
         * Checks the number.
         *
         * @param jobs how many
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
     * They stay for a time after they finished.
     *
     * @param time from 1 s to 36500 days
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

    /** They stay until they are removed. */
    record Forever() implements Retention {}

    /**
     * Reads the retention in a settings document.
     *
     * @param json {@code "delete"}, {@code "forever"}, {@code {"newest": N}} or {@code {"time": MILLISECONDS}}
     * @return the retention; empty for anything else: settings are written by people too
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

    /** {@return the retention as a settings document spells it; see {@link #parse}} */
    default JsonNode toJson() {
        if (this instanceof Newest newest) {
            return JsonNodeFactory.instance.objectNode().put("newest", newest.jobs());
        }
        if (this instanceof For time) {
            return JsonNodeFactory.instance.objectNode().put("time", time.time().toMillis());
        }
        return TextNode.valueOf(this instanceof Delete ? "delete" : "forever");
    }

    /** {@return the retention of jobs that did not succeed, where only this one is set: at least the default} */
    default Retention ofFailures() {
        boolean longer = this instanceof Forever
                || (this instanceof For mine && mine.time().compareTo(STANDARD) > 0);
        return longer ? this : new For(STANDARD);
    }
}
