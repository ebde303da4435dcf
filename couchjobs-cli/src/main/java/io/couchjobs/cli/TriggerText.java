package io.couchjobs.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Output;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.job.JobRequest;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes triggers as a table or as JSON. */
final class TriggerText {
    private TriggerText() {}

    static void done(Output output, String trigger, String result) {
        output.line(
                () -> trigger + " " + result,
                () -> JsonNodeFactory.instance.objectNode().put("name", trigger).put("result", result));
    }

    static Table table(List<TriggerStatus> all) {
        Table table = new Table(
                "NAME", "SOURCE", "JOBS OF", "STATE", "LAG", "BEHIND", "PER MIN", "JOBS", "ERRORS", "FOLLOWER");
        for (TriggerStatus status : all) {
            Trigger trigger = status.trigger();
            table.row(
                    Cell.of(trigger.name()),
                    Cell.of(trigger.source()),
                    Cell.of(trigger.type().orElse("(outbox)")),
                    trigger.isEnabled() ? state(status) : Cell.of("paused", Style.WARNING),
                    Cell.of(isLagKnown(status) ? String.valueOf(status.lag()) : "?"),
                    behind(status.behind()),
                    Cell.of(String.valueOf(status.perMinute())),
                    Cell.of(String.valueOf(status.jobs())),
                    status.errors() == 0 ? Cell.of("0") : Cell.of(String.valueOf(status.errors()), Style.WARNING),
                    Cell.of(status.follower().orElse("-")));
        }
        return table;
    }

    private static boolean isLagKnown(TriggerStatus status) {
        return status.sources().stream().allMatch(source -> source.lag().isPresent());
    }

    private static Cell behind(Optional<Duration> time) {
        return Cell.of(time.map(wait -> Durations.format(wait.truncatedTo(ChronoUnit.SECONDS)))
                .orElse("?"));
    }

    private static Cell state(TriggerStatus status) {
        return status.problem().map(problem -> Cell.of(problem, Style.WARNING)).orElseGet(() -> Cell.of("enabled"));
    }

    static ObjectNode json(TriggerStatus status) {
        Trigger trigger = status.trigger();
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("name", trigger.name())
                .put("source", trigger.source())
                .put("enabled", trigger.isEnabled())
                .put("lag", isLagKnown(status) ? status.lag() : null)
                .put("behindMs", status.behind().map(Duration::toMillis).orElse(null))
                .put("changesPerMinute", status.perMinute());
        boolean isOne = status.sources().size() == 1 && !trigger.isPattern();
        return json.put("position", isOne ? position(status.sources().get(0)) : null)
                .put("jobs", status.jobs())
                .put("errors", status.errors())
                .put("follower", status.follower().orElse(null));
    }

    private static @Nullable String position(TriggerStatus.Source source) {
        return source.position().isEmpty() ? null : source.position();
    }

    static ObjectNode whole(TriggerStatus status) {
        ObjectNode json = json(status);
        json.set("trigger", status.trigger().toDocument());
        status.sources().stream().map(TriggerText::json).forEach(json.putArray("sources")::add);
        status.ends().map(TriggerText::json).ifPresent(ends -> json.set("ends", ends));
        return json;
    }

    private static ObjectNode json(TriggerStatus.Source source) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("database", source.database())
                .put("position", position(source))
                .put("lag", source.lag().isPresent() ? source.lag().getAsLong() : null)
                .put("behindMs", source.behind().map(Duration::toMillis).orElse(null))
                .put("changes", source.changes())
                .put("changesPerMinute", source.perMinute())
                .put("jobs", source.jobs())
                .put("errors", source.errors())
                .put("last", source.last().map(Instant::toString).orElse(null))
                .put("problem", source.problem().orElse(null));
    }

    /** Returns the fields of the trigger's document as it is stored. */
    static Table fields(Trigger trigger) {
        Table table = new Table("FIELD", "VALUE");
        trigger.toDocument().properties().forEach(field -> {
            if (!field.getKey().startsWith("_")) {
                table.row(Cell.of(field.getKey()), Cell.of(text(field.getValue())));
            }
        });
        return table;
    }

    private static String text(JsonNode value) {
        return value.isValueNode() ? value.asText() : value.toString();
    }

    static Table sources(TriggerStatus status) {
        Table table = new Table("DATABASE", "LAG", "BEHIND", "CHANGES", "JOBS", "ERRORS", "LAST", "PROBLEM");
        for (TriggerStatus.Source source : status.all()) {
            table.row(
                    Cell.of(source.database()),
                    Cell.of(
                            source.lag().isPresent()
                                    ? String.valueOf(source.lag().getAsLong())
                                    : "?"),
                    behind(source.behind()),
                    Cell.of(String.valueOf(source.changes())),
                    Cell.of(String.valueOf(source.jobs())),
                    Cell.of(String.valueOf(source.errors())),
                    Cell.of(source.last().map(Instant::toString).orElse("-")),
                    source.problem()
                            .map(problem -> Cell.of(problem, Style.WARNING))
                            .orElseGet(() -> Cell.of("-")));
        }
        return table;
    }

    static Table errors(List<TriggerStatus.Failure> errors) {
        Table table = new Table("DATABASE", "DOCUMENT", "REV", "AT", "REASON");
        for (TriggerStatus.Failure error : errors) {
            table.row(
                    Cell.of(error.database()),
                    Cell.of(error.docId()),
                    Cell.of(error.rev()),
                    Cell.of(error.at().toString()),
                    Cell.of(error.reason()));
        }
        return table;
    }

    static ObjectNode json(TriggerStatus.Failure error) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("database", error.database())
                .put("id", error.docId())
                .put("rev", error.rev())
                .put("at", error.at().toString())
                .put("reason", error.reason())
                .put("retryable", error.retryable());
    }

    /** Returns a job that would be made, as JSON. */
    static ObjectNode json(JobRequest request) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        request.writeTo(document);
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("type", request.id().type())
                .put("id", request.id().id());
        document.remove(List.of("scheduledTime", "origin"));
        Optional.of(request.scheduledTime())
                .filter(time -> time.isAfter(Instant.EPOCH))
                .ifPresent(time -> json.put("scheduledTime", time.toString()));
        return json.setAll(document);
    }
}
