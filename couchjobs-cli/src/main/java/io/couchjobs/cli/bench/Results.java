package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import java.util.EnumMap;
import java.util.Map;

/** The results of the measurements. Not thread-safe. */
public final class Results {
    private final ObjectNode server;
    private final ObjectNode raw = JsonNodeFactory.instance.objectNode();
    private final Map<Figure, ObjectNode> figures = new EnumMap<>(Figure.class);

    Results(ObjectNode server) {
        this.server = server;
    }

    ObjectNode raw() {
        return raw;
    }

    /** Adds a figure, unless it is empty because it was not asked for. */
    void add(Figure figure, ObjectNode json) {
        if (!json.isEmpty()) {
            figures.put(figure, json);
        }
    }

    /** {@return whether all figures that were added could be measured} */
    public boolean isComplete() {
        return figures.values().stream().noneMatch(json -> json.has("error"));
    }

    /**
     * {@return the results as JSON for programs: the server, its raw figures, and a field for each figure in the order of
     * {@link Figure}}
     */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.set("server", server);
        json.set("raw", raw);
        figures.forEach((figure, value) -> json.set(figure.toString(), value));
        return json;
    }

    /** {@return a table of the figures for people, each with its target} */
    public Table table() {
        Table table = new Table("FIGURE", "MEASURED", "RATIO", "OF THE ROUNDS", "TARGET", "");
        raw.properties()
                .forEach(field -> table.row(
                        Cell.of("raw " + field.getKey(), Style.FAINT),
                        Cell.of(field.getValue().asText()),
                        Cell.of(""),
                        Cell.of(""),
                        Cell.of(""),
                        Cell.of("")));
        figures.forEach((figure, value) -> {
            Target target = Target.of(figure);
            table.row(
                    Cell.of(figure.toString()),
                    Cell.of(value.has("error") ? value.path("error").asText() : target.measured(value)),
                    Cell.of(text(value, target.ratio())),
                    Cell.of(spread(value, target.ratio())),
                    Cell.of(target.text()),
                    verdict(target, value));
        });
        return table;
    }

    private static Cell verdict(Target target, JsonNode value) {
        if (value.has("error")) {
            return Cell.of("not measured", Style.BAD);
        }
        return target.verdict(value)
                .map(met -> met ? Cell.of("met", Style.GOOD) : Cell.of("short", Style.WARNING))
                .orElseGet(() -> Cell.of(""));
    }

    private static String text(JsonNode value, String field) {
        return value.has(field) ? value.path(field).asText() : "";
    }

    private static String spread(JsonNode value, String field) {
        return value.has(field + "_min")
                ? value.path(field + "_min").asText() + " to "
                        + value.path(field + "_max").asText()
                : "";
    }
}
