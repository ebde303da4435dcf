package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.admin.History;
import io.couchjobs.dashboard.view.ServerTime;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The history of the last hour, day and month. Thread-safe. */
final class Histories {
    private static final History.Series NOTHING =
            new History.Series(new History.Point(Instant.EPOCH, 0, 0, 0, null, null), List.of());

    private final JobQueue queue;
    private final Map<Range, Cached<Shown>> cached = new EnumMap<>(Range.class);

    /** How far back a chart goes. */
    private enum Range {
        HOUR(Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofSeconds(5)),
        DAY(Duration.ofDays(1), Duration.ofMinutes(10), Duration.ofSeconds(15)),
        MONTH(Duration.ofDays(30), Duration.ofHours(4), Duration.ofMinutes(1));

        final Duration length;
        final Duration step;
        final Duration fresh;

        Range(Duration length, Duration step, Duration fresh) {
            this.length = length;
            this.step = step;
            this.fresh = fresh;
        }

        static Range of(String name) {
            return Stream.of(values())
                    .filter(range -> range.name().toLowerCase(Locale.ROOT).equals(name))
                    .findFirst()
                    .orElseThrow(() -> new Refusal(400, "range: hour, day or month, not \"" + name + "\""));
        }
    }

    /** A chart and its marks. */
    private record Shown(History.Chart chart, List<History.Mark> marks) {}

    Histories(JobQueue queue) {
        this.queue = queue;
        for (Range range : Range.values()) {
            cached.put(range, new Cached<>(range.fresh, () -> read(range)));
        }
    }

    private Shown read(Range range) {
        History history = queue.operations().history();
        Instant to = ServerTime.of(queue);
        Instant from = to.minus(range.length);
        return new Shown(history.read(from, to, range.step), history.marks(from, to));
    }

    /** Returns the points of one type or of all types together, and the totals of each type. */
    ObjectNode json(Call call) {
        Shown shown = shown(Range.of(call.param("range").orElse("hour")));
        History.Chart chart = shown.chart;
        ObjectNode json = Call.JSON
                .createObjectNode()
                .put("now", ServerTime.millis(queue))
                .put("from", chart.from().toEpochMilli())
                .put("step", chart.step().toMillis());
        History.Series wanted = call.param("type")
                .map(type -> chart.byType().getOrDefault(type, NOTHING))
                .orElse(chart.all());
        ArrayNode points = json.putArray("points");
        wanted.points().forEach(point -> points.add(json(point)));
        json.set("total", json(wanted.total()));
        ArrayNode types = json.putArray("types");
        chart.byType().forEach((type, series) -> types.add(json(series.total()).put("type", type)));
        ArrayNode marks = json.putArray("marks");
        shown.marks.forEach(
                mark -> marks.addObject().put("at", mark.at().toEpochMilli()).put("text", mark.text()));
        return json;
    }

    /** Writes how long the runs of a type took in the last hour, if there were any. */
    void putPercentiles(String type, ObjectNode json) {
        History.Series series = shown(Range.HOUR).chart.byType().get(type);
        if (series != null) {
            putPercentiles(series.total(), json);
        }
    }

    private Shown shown(Range range) {
        Cached<Shown> known = cached.get(range);
        if (known == null) {
            throw new IllegalStateException("no such range: " + range);
        }
        return known.get();
    }

    private static ObjectNode json(History.Point point) {
        ObjectNode json = Call.JSON
                .createObjectNode()
                .put("at", point.at().toEpochMilli())
                .put("runs", point.runs())
                .put("failures", point.failures())
                .put("waiting", point.waiting());
        putPercentiles(point, json);
        return json;
    }

    private static void putPercentiles(History.Point point, ObjectNode json) {
        put("p50", point.p50(), json);
        put("p95", point.p95(), json);
    }

    private static void put(String name, @Nullable Duration took, ObjectNode json) {
        if (took != null) {
            json.put(name, took.toMillis());
        }
    }
}
