package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Output;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.type.Limit;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes the settings of types as a table or as JSON. Durations in JSON are milliseconds. */
final class TypeText {
    private TypeText() {}

    static void show(Output output, TypeSettings settings) {
        output.table(() -> table(List.of(settings)), () -> json(settings));
    }

    static Table table(List<TypeSettings> types) {
        Table table = new Table(
                "TYPE", "TIMEOUT", "MAX RETRIES", "RETRY DELAY", "RETENTION", "CLASSES", "CLAIMING", "LIMITS");
        for (TypeSettings type : types) {
            table.row(
                    Cell.of(type.type()),
                    Cell.of(type.timeout().map(Durations::format).orElse("default")),
                    Cell.of(type.retryPolicy().maxRetries()),
                    Cell.of(Durations.format(type.retryPolicy().delay())),
                    Cell.of(retention(type)),
                    Cell.of(type.classes().map(TypeText::names).orElse("all")),
                    type.isPaused() ? Cell.of(paused(type), Style.WARNING) : Cell.of("yes"),
                    Cell.of(limits(type)));
        }
        return table;
    }

    private static String retention(TypeSettings type) {
        String kept = RetentionOptions.text(type.retention());
        return type.failureRetention().equals(type.retention())
                ? kept
                : kept + ", failures " + RetentionOptions.text(type.failureRetention());
    }

    private static String paused(TypeSettings type) {
        return type.pauseReason().map(reason -> "paused: " + reason).orElse("paused");
    }

    private static String limits(TypeSettings type) {
        List<String> limits = new ArrayList<>();
        addTo(limits, "running", type.get(Limit.RUNNING));
        addTo(limits, "per group", type.get(Limit.RUNNING_PER_GROUP));
        if (rate(type) != null) {
            limits.add("rate " + rate(type));
        }
        addTo(limits, "queued", type.get(Limit.QUEUED));
        addTo(limits, "expirations", type.get(Limit.EXPIRATIONS));
        return limits.isEmpty() ? "none" : String.join(", ", limits);
    }

    private static void addTo(List<String> limits, String name, OptionalInt limit) {
        limit.ifPresent(number -> limits.add(name + " " + number));
    }

    private static @Nullable Integer number(TypeSettings type, Limit limit) {
        OptionalInt number = type.get(limit);
        return number.isPresent() ? number.getAsInt() : null;
    }

    private static @Nullable String rate(TypeSettings type) {
        return type.rate()
                .map(rate -> rate.starts() + "/" + Durations.format(rate.window()))
                .orElse(null);
    }

    private static String names(Set<String> classes) {
        return classes.isEmpty()
                ? "none"
                : classes.stream()
                        .map(name -> name.isEmpty() ? "(no class)" : name)
                        .collect(Collectors.joining(","));
    }

    static ObjectNode json(TypeSettings type) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("type", type.type())
                .put("timeout", type.timeout().map(Duration::toMillis).orElse(null))
                .put("maxRetries", type.retryPolicy().maxRetries())
                .put("retryDelay", type.retryPolicy().delay().toMillis())
                .put("maxRetryDelay", type.retryPolicy().maxDelay().toMillis())
                .put("retryJitter", type.retryPolicy().jitter())
                .put("paused", type.isPaused())
                .put("pauseReason", type.pauseReason().orElse(null))
                .put("limit", number(type, Limit.RUNNING))
                .put("groupLimit", number(type, Limit.RUNNING_PER_GROUP))
                .put("rate", rate(type))
                .put("maxQueued", number(type, Limit.QUEUED))
                .put("maxExpirations", number(type, Limit.EXPIRATIONS));
        json.set("retention", type.retention().toJson());
        json.set("failureRetention", type.failureRetention().toJson());
        type.classes().ifPresent(classes -> classes.forEach(json.putArray("classes")::add));
        return json;
    }
}
