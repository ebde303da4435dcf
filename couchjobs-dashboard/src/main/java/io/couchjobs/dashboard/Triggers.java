package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** Shows and changes triggers. Thread-safe. */
final class Triggers {
    private static final Duration FRESH = Duration.ofSeconds(2);
    /** The largest number of databases of a trigger on a page. */
    private static final int MOST_SOURCES = 100;

    private final JobQueue queue;
    private final Cached<ObjectNode> cached = new Cached<>(FRESH, this::read);

    Triggers(JobQueue queue) {
        this.queue = queue;
    }

    ObjectNode json() {
        return cached.get().deepCopy().put("now", ServerTime.millis(queue));
    }

    private ObjectNode read() {
        ObjectNode json = Call.JSON.createObjectNode();
        ArrayNode triggers = json.putArray("triggers");
        queue.triggers().statuses().stream().map(Triggers::summary).forEach(triggers::add);
        ObjectNode malformed = json.putObject("malformed");
        queue.triggers().malformed().forEach(malformed::put);
        return json;
    }

    /**
     * {@return one trigger with its errors, the newest first, and its sources: those with a problem first, then those that are
     * furthest behind}
     */
    ObjectNode one(Call call) {
        TriggerStatus status = queue.triggers().status(call.required("name"));
        ObjectNode json = summary(status).put("now", ServerTime.millis(queue));
        ArrayNode sources = json.putArray("sources");
        status.sources().stream()
                .sorted(worstFirst())
                .limit(MOST_SOURCES)
                .map(Triggers::source)
                .forEach(sources::add);
        status.ends().map(Triggers::source).ifPresent(ends -> json.set("ends", ends));
        json.put("databases", status.sources().size());
        ArrayNode failed = json.putArray("failed");
        queue.triggers().errors(status.trigger().name()).stream()
                .sorted(Comparator.comparing(TriggerStatus.Failure::at).reversed())
                .map(Triggers::error)
                .forEach(failed::add);
        ObjectNode document = status.trigger().toDocument();
        json.set("document", document);
        return json.put("text", JobJson.text(document));
    }

    private static Comparator<TriggerStatus.Source> worstFirst() {
        return Comparator.<TriggerStatus.Source, Boolean>comparing(
                        source -> source.problem().isEmpty())
                .thenComparing(source -> -source.lag().orElse(0))
                .thenComparing(TriggerStatus.Source::database);
    }

    private static ObjectNode summary(TriggerStatus status) {
        Trigger trigger = status.trigger();
        List<TriggerStatus.Source> sources = status.sources();
        boolean isLagKnown = sources.stream().allMatch(source -> source.lag().isPresent());
        return Call.JSON
                .createObjectNode()
                .put("name", trigger.name())
                .put("source", trigger.source())
                .put("pattern", trigger.isPattern())
                .put("connection", trigger.connection().orElse(null))
                .put("type", trigger.type().orElse(null))
                .put("enabled", trigger.isEnabled())
                .put("problem", status.problem().orElse(null))
                .put("lag", isLagKnown ? status.lag() : null)
                .put("behind", status.behind().map(Duration::toMillis).orElse(null))
                .put("perMinute", status.perMinute())
                .put("jobs", status.jobs())
                .put("errors", status.errors())
                .put("follower", status.follower().orElse(null));
    }

    private static ObjectNode source(TriggerStatus.Source source) {
        return Call.JSON
                .createObjectNode()
                .put("database", source.database())
                .put("lag", source.lag().isPresent() ? source.lag().getAsLong() : null)
                .put("behind", source.behind().map(Duration::toMillis).orElse(null))
                .put("changes", source.changes())
                .put("perMinute", source.perMinute())
                .put("jobs", source.jobs())
                .put("errors", source.errors())
                .put("last", source.last().map(Instant::toEpochMilli).orElse(null))
                .put("problem", source.problem().orElse(null));
    }

    private static ObjectNode error(TriggerStatus.Failure error) {
        return Call.JSON
                .createObjectNode()
                .put("database", error.database())
                .put("id", error.docId())
                .put("rev", error.rev())
                .put("at", error.at().toEpochMilli())
                .put("reason", error.reason())
                .put("retryable", error.retryable());
    }

    ObjectNode change(ObjectNode body) {
        String name = body.path("name").asText();
        String done = act(name, body.path("action").asText(), body.path("from").asText());
        cached.forget();
        return Call.JSON.createObjectNode().put("done", done);
    }

    private String act(String name, String action, String from) {
        return switch (action) {
            case "pause" -> {
                Trigger unused = queue.triggers().pause(name);
                yield "paused";
            }
            case "resume" -> {
                Trigger unused = queue.triggers().resume(name);
                yield "resumed";
            }
            case "retry" -> {
                int count = queue.triggers().retryErrors(name);
                yield count == 1 ? "1 change is tried again" : count + " changes are tried again";
            }
            case "replay" -> {
                if (from.isEmpty()) {
                    throw new Refusal(400, "to replay needs from");
                }
                queue.triggers().replay(name, from);
                yield "goes on from " + from;
            }
            case "remove" -> {
                queue.triggers().remove(name);
                yield "removed";
            }
            default -> throw new Refusal(400, "there is no action " + action);
        };
    }
}
