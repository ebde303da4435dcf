package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.History;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A part of the history, written for people and for programs.
 *
 * @param type the only type that is shown; null for all types together
 */
record HistoryText(
        History.Chart chart,
        List<History.Mark> marks,
        @Nullable String type) {
    /** Returns a line for each step with its marks, and the total; also the totals of the types when all types are shown. */
    Table table() {
        Table table = new Table("TIME", "RUNS", "FAILED", "WAITING", "P50", "P95", "MARKS");
        series().points().forEach(point -> row(table, point.at().toString(), point, marksOf(point)));
        row(table, type == null ? "all" : type, series().total(), "");
        if (type == null) {
            chart.byType().forEach((name, ofType) -> row(table, name, ofType.total(), ""));
        }
        return table;
    }

    private static void row(Table table, String name, History.Point point, String marks) {
        table.row(
                Cell.of(name),
                Cell.of(point.runs()),
                new Cell(Long.toString(point.failures()), point.failures() == 0 ? Style.FAINT : Style.BAD, true),
                Cell.of(point.waiting()),
                Cell.of(text(point.p50())),
                Cell.of(text(point.p95())),
                Cell.of(marks));
    }

    private static String text(@Nullable Duration took) {
        return took == null ? "-" : Durations.format(took);
    }

    private String marksOf(History.Point point) {
        Instant end = point.at().plus(chart.step());
        return marks.stream()
                .filter(mark -> !mark.at().isBefore(point.at()) && mark.at().isBefore(end))
                .map(History.Mark::text)
                .collect(Collectors.joining(", "));
    }

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("from", chart.from().toString())
                .put("stepSeconds", chart.step().toSeconds());
        json.set("total", json(series().total()));
        ArrayNode points = json.putArray("points");
        series().points().forEach(point -> points.add(json(point)));
        ObjectNode types = json.putObject("types");
        if (type == null) {
            chart.byType().forEach((name, ofType) -> types.set(name, json(ofType.total())));
        }
        ArrayNode all = json.putArray("marks");
        marks.forEach(mark -> all.add(json(mark)));
        return json;
    }

    static ObjectNode json(History.Mark mark) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("at", mark.at().toString())
                .put("text", mark.text());
    }

    private static ObjectNode json(History.Point point) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("at", point.at().toString())
                .put("runs", point.runs())
                .put("failures", point.failures())
                .put("waiting", point.waiting());
        if (point.p50() != null && point.p95() != null) {
            json.put("p50Ms", point.p50().toMillis()).put("p95Ms", point.p95().toMillis());
        }
        return json;
    }

    /** Returns the numbers of the type or of all types; zeros for a type without runs. */
    private History.Series series() {
        History.Series nothing = new History.Series(new History.Point(chart.from(), 0, 0, 0, null, null), List.of());
        return type == null ? chart.all() : chart.byType().getOrDefault(type, nothing);
    }
}
