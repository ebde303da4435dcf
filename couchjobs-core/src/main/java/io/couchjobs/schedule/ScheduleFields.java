package io.couchjobs.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.StoredText;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Site;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a schedule document, as Java values. Each reading throws IllegalArgumentException that names the field when
 * it is wrong; what is missing or null has its default.
 */
final class ScheduleFields {
    static final String CRON = "cron";
    static final String ZONE = "zone";
    static final String EVERY = "every";
    static final String FROM = "from";
    static final String JOB = "job";

    static final String MISSED = "missed";
    static final String OVERLAP = "overlap";

    /** The largest distance from the epoch, in ms, that JavaScript's calendar knows. */
    private static final long FAR = 8_640_000_000_000_000L;

    private ScheduleFields() {}

    static Timing timing(ObjectNode document) {
        boolean cron = document.hasNonNull(CRON);
        if (cron == document.hasNonNull(EVERY)) {
            throw new IllegalArgumentException("it needs either a field cron or a field every");
        }
        return cron ? cron(document) : interval(document);
    }

    static void putTiming(ObjectNode document, Timing timing) {
        document.remove(List.of(CRON, ZONE, EVERY, FROM));
        if (timing instanceof Timing.Cron cron) {
            document.put(CRON, cron.expression());
            document.put(ZONE, cron.zone().getId());
        } else if (timing instanceof Timing.Interval interval) {
            document.put(EVERY, interval.every().toMillis());
            document.put(FROM, interval.from().toEpochMilli());
        }
    }

    static boolean enabled(ObjectNode document) {
        JsonNode value = document.path(Field.ENABLED);
        if (!isAbsent(value) && !value.isBoolean()) {
            throw wrong(Field.ENABLED, "a boolean", value);
        }
        return value.asBoolean(true);
    }

    static Optional<Instant> time(ObjectNode document, String field) {
        return integer(document, field).map(Instant::ofEpochMilli).map(time -> requireNear(field, time));
    }

    static List<JobId> runs(ObjectNode document) {
        JsonNode value = document.path(Field.RUNS);
        if (!isAbsent(value) && !value.isArray()) {
            throw wrong(Field.RUNS, "an array of job document ids", value);
        }
        List<JobId> runs = new ArrayList<>();
        value.forEach(id -> runs.add(JobId.fromDocId(id.asText())
                .orElseThrow(() -> wrong(Field.RUNS, "an array of job document ids", value))));
        return List.copyOf(runs);
    }

    static Optional<String> site(ObjectNode document) {
        JsonNode value = document.path(Field.SITE);
        if (isAbsent(value)) {
            return Optional.empty();
        } else if (!value.isTextual()) {
            throw wrong(Field.SITE, "a string", value);
        }
        return Optional.of(Site.checkName(value.textValue()));
    }

    static <E extends Enum<E>> E choice(
            ObjectNode document, String field, Class<E> type, Function<E, String> json, E standard) {
        JsonNode value = document.path(field);
        if (isAbsent(value)) {
            return standard;
        }
        E[] all = type.getEnumConstants();
        return Arrays.stream(all)
                .filter(choice -> value.isTextual() && json.apply(choice).equals(value.textValue()))
                .findFirst()
                .orElseThrow(() -> wrong(
                        field,
                        "one of "
                                + String.join(", ", Arrays.stream(all).map(json).toList()),
                        value));
    }

    static ZoneId zone(@Nullable String id) {
        try {
            return ZoneId.of(id == null ? "UTC" : id);
        } catch (DateTimeException unknown) {
            throw new IllegalArgumentException(
                    "zone \"" + id + "\" is not known; it may be a region such as Europe/Berlin, or UTC", unknown);
        }
    }

    private static Timing cron(ObjectNode document) {
        JsonNode zone = document.path(ZONE);
        if (!document.path(CRON).isTextual()) {
            throw wrong(CRON, "a string", document.path(CRON));
        } else if (!isAbsent(zone) && !zone.isTextual()) {
            throw wrong(ZONE, "a string", zone);
        }
        return Timing.Cron.of(document.path(CRON).textValue(), zone(isAbsent(zone) ? null : zone.textValue()));
    }

    private static Timing interval(ObjectNode document) {
        long every = integer(document, EVERY).orElse(0L);
        return new Timing.Interval(
                Duration.ofMillis(every), time(document, FROM).orElse(Instant.EPOCH));
    }

    /** JSON made elsewhere may write 60000 as 6e4 or 60000.0. */
    private static Optional<Long> integer(ObjectNode document, String field) {
        JsonNode value = document.path(field);
        if (isAbsent(value)) {
            return Optional.empty();
        }
        if (!value.isNumber() || value.asDouble() != Math.rint(value.asDouble()) || Math.abs(value.asDouble()) > FAR) {
            throw wrong(field, "an integer, in milliseconds", value);
        }
        return Optional.of(value.isIntegralNumber() ? value.asLong() : (long) value.asDouble());
    }

    /** Dates that far away overflow the arithmetic of calendars, and nobody means them. */
    static Instant requireNear(String field, Instant time) {
        if (Math.abs((double) time.getEpochSecond()) * 1000 > FAR / 40) {
            throw new IllegalArgumentException("field " + field + " is out of range: " + time);
        }
        return time;
    }

    private static boolean isAbsent(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }

    private static IllegalArgumentException wrong(String field, String what, JsonNode value) {
        return new IllegalArgumentException(
                "field " + field + " must be " + what + ", not " + StoredText.of(value.toString(), 60));
    }
}
