package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Output;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.store.TypeSettings;
import java.time.Duration;
import java.util.List;

/** The settings of types, as a table or as JSON; durations in JSON are milliseconds. */
final class TypeText {
    private TypeText() {}

    static void show(Output output, TypeSettings settings) {
        output.table(() -> table(List.of(settings)), () -> json(settings));
    }

    static Table table(List<TypeSettings> types) {
        Table table = new Table("TYPE", "TIMEOUT", "MAX RETRIES", "RETRY DELAY", "CLAIMING");
        for (TypeSettings type : types) {
            table.row(
                    Cell.of(type.type()),
                    Cell.of(type.timeout().map(Durations::format).orElse("default")),
                    Cell.of(type.retryPolicy().maxRetries()),
                    Cell.of(Durations.format(type.retryPolicy().delay())),
                    type.isPaused() ? Cell.of("paused", Style.WARNING) : Cell.of("yes"));
        }
        return table;
    }

    static ObjectNode json(TypeSettings type) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("type", type.type())
                .put("timeout", type.timeout().map(Duration::toMillis).orElse(null))
                .put("maxRetries", type.retryPolicy().maxRetries())
                .put("retryDelay", type.retryPolicy().delay().toMillis())
                .put("paused", type.isPaused());
    }
}
