package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Output;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.Scopes;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes scopes as a table or as JSON. */
final class ScopeText {
    private static final int DEFAULT_CONCURRENCY = ScopeConfig.DEFAULTS.concurrency();

    private ScopeText() {}

    static void show(Output output, List<Scopes.State> states) {
        output.rows(
                () -> table(states), () -> states.stream().map(ScopeText::json).toList());
    }

    private static Table table(List<Scopes.State> states) {
        Table table = new Table("TYPE", "PARTITION", "STATE", "CONCURRENCY", "QUEUE LIMIT", "CLASSES", "STARTS");
        for (Scopes.State state : states) {
            table.row(
                    Cell.of(state.scope().type()),
                    Cell.of(state.scope().partition()),
                    state.isRunning() ? Cell.of("running", Style.GOOD) : Cell.of("stopped", Style.WARNING),
                    Cell.of(concurrency(state.config())),
                    Cell.of(queueLimit(state.config())),
                    Cell.of(classes(state.config())),
                    Cell.of(state.starts()));
        }
        return table;
    }

    private static ObjectNode json(Scopes.State state) {
        ScopeConfig config = state.config();
        ObjectNode json = named(state.scope()).put("running", state.isRunning());
        json.set("concurrency", config.concurrency(concurrency(config)).toJson().path("concurrency"));
        if (config.ofQueueLimit().isPresent()) {
            json.put("queueLimit", config.queueLimit());
        } else {
            json.putNull("queueLimit");
        }
        config.classes().stream().sorted().forEach(json.putArray("classes")::add);
        return json.put("starts", state.starts());
    }

    static Table statsTable(Map<Scope, Scopes.Stats> all) {
        Table table = new Table(
                "TYPE",
                "PARTITION",
                "ACCEPTED",
                "REJECTED",
                "QUEUED",
                "RUNNING",
                "FINISHED",
                "KILLED",
                "CRASHED",
                "CANCELLED");
        all.forEach((scope, stats) -> table.row(
                Cell.of(scope.type()),
                Cell.of(scope.partition()),
                Cell.of(stats.accepted()),
                Cell.of(stats.rejected()),
                Cell.of(stats.queued()),
                Cell.of(stats.running()),
                Cell.of(stats.finished()),
                Cell.of(stats.killed()),
                Cell.of(stats.crashed()),
                Cell.of(stats.cancelled())));
        return table;
    }

    static List<ObjectNode> statsJson(Map<Scope, Scopes.Stats> all) {
        return all.entrySet().stream()
                .map(each -> statsJson(each.getKey(), each.getValue()))
                .toList();
    }

    private static ObjectNode statsJson(Scope scope, Scopes.Stats stats) {
        return named(scope)
                .put("accepted", stats.accepted())
                .put("rejected", stats.rejected())
                .put("queued", stats.queued())
                .put("running", stats.running())
                .put("finished", stats.finished())
                .put("killed", stats.killed())
                .put("crashed", stats.crashed())
                .put("cancelled", stats.cancelled());
    }

    private static ObjectNode named(Scope scope) {
        return JsonNodeFactory.instance.objectNode().put("type", scope.type()).put("partition", scope.partition());
    }

    private static String concurrency(ScopeConfig config) {
        return config.ofConcurrency().orElse(Integer.toString(DEFAULT_CONCURRENCY));
    }

    private static String queueLimit(ScopeConfig config) {
        return config.ofQueueLimit().isEmpty()
                        && config.ofConcurrency()
                                .filter(jobs -> jobs.startsWith("cores"))
                                .isPresent()
                ? "3 per slot"
                : Integer.toString(config.queueLimit());
    }

    private static String classes(ScopeConfig config) {
        return config.classes().isEmpty()
                ? "all"
                : config.classes().stream().sorted().collect(Collectors.joining(","));
    }
}
