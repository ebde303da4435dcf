package io.couchjobs.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.CheckedFields;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.JobId;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a schedule's document as Java values. Each method throws IllegalArgumentException that names a wrong field. A
 * field that is missing or null has its default value.
 */
final class ScheduleFields {
    static final String CRON = "cron";
    static final String ZONE = "zone";
    static final String EVERY = "every";
    static final String FROM = "from";
    static final String JOB = "job";

    static final String MISSED = "missed";
    static final String OVERLAP = "overlap";

    /** The largest distance from the epoch, in ms, that a JavaScript date can have. */
    private static final long FAR = 8_640_000_000_000_000L;

    private ScheduleFields() {}

    static Timing timing(CheckedFields fields) {
        boolean cron = fields.has(CRON);
        if (cron == fields.has(EVERY)) {
            throw new IllegalArgumentException("it needs either a field cron or a field every");
        }
        return cron ? cron(fields) : interval(fields);
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

    static Optional<Instant> time(CheckedFields fields, String field) {
        return millis(fields, field).map(Instant::ofEpochMilli).map(time -> requireNear(field, time));
    }

    private static Optional<Long> millis(CheckedFields fields, String field) {
        return fields.number(field, -FAR, FAR, "an integer, in milliseconds");
    }

    static List<JobId> runs(CheckedFields fields) {
        JsonNode value = fields.json().path(Field.RUNS);
        if (fields.has(Field.RUNS) && !value.isArray()) {
            throw fields.wrong(Field.RUNS, "an array of job document ids");
        }
        List<JobId> runs = new ArrayList<>();
        value.forEach(id -> runs.add(JobId.fromDocId(id.asText())
                .orElseThrow(() -> fields.wrong(Field.RUNS, "an array of job document ids"))));
        return List.copyOf(runs);
    }

    static ZoneId zone(@Nullable String id) {
        try {
            return ZoneId.of(id == null ? "UTC" : id);
        } catch (DateTimeException unknown) {
            throw new IllegalArgumentException(
                    "zone \"" + id + "\" is not known; it may be a region such as Europe/Berlin, or UTC", unknown);
        }
    }

    private static Timing cron(CheckedFields fields) {
        return Timing.Cron.of(
                fields.text(CRON).orElseThrow(), zone(fields.text(ZONE).orElse(null)));
    }

    private static Timing interval(CheckedFields fields) {
        long every = millis(fields, EVERY).orElse(0L);
        return new Timing.Interval(Duration.ofMillis(every), time(fields, FROM).orElse(Instant.EPOCH));
    }

    /** Rejects times that are so far from the epoch that calendar arithmetic could overflow. */
    static Instant requireNear(String field, Instant time) {
        if (Math.abs((double) time.getEpochSecond()) * 1000 > FAR / 40) {
            throw new IllegalArgumentException("field " + field + " is out of range: " + time);
        }
        return time;
    }
}
