package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
import io.couchjobs.type.Retention;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The types and their settings. Thread-safe. */
final class Types {
    private static final Duration FRESH = Duration.ofSeconds(1);
    private static final Map<String, Limit> LIMITS = new TreeMap<>(Map.of(
            "limit", Limit.RUNNING,
            "groupLimit", Limit.RUNNING_PER_GROUP,
            "maxQueued", Limit.QUEUED,
            "maxExpirations", Limit.EXPIRATIONS));

    private final JobQueue queue;
    private final Counts counts;
    private final Histories histories;
    private final Cached<Map<String, TypeSettings>> cached;

    Types(JobQueue queue, Counts counts) {
        this.queue = queue;
        this.counts = counts;
        this.histories = new Histories(queue);
        this.cached = new Cached<>(FRESH, queue.types()::settings);
    }

    /** {@return the settings of all types that have settings} */
    Map<String, TypeSettings> settings() {
        return cached.get();
    }

    Histories histories() {
        return histories;
    }

    boolean isPaused(String type) {
        TypeSettings settings = settings().get(type);
        return settings != null && settings.isPaused();
    }

    ObjectNode json() {
        ObjectNode json = Call.JSON.createObjectNode().put("now", ServerTime.millis(queue));
        ArrayNode types = json.putArray("types");
        Map<String, TypeCounts> numbers = counts.byType();
        Set<String> names = new TreeSet<>(numbers.keySet());
        names.addAll(settings().keySet());
        for (String name : names) {
            ObjectNode type = json(settings().getOrDefault(name, TypeSettings.none(name)));
            numbersOf(numbers.getOrDefault(name, new TypeCounts(Map.of(), null)), type);
            histories.putPercentiles(name, type);
            types.add(type);
        }
        return json;
    }

    static void numbersOf(TypeCounts counts, ObjectNode json) {
        numbersOf(counts.byStatus(), json);
        counts.oldestPending().ifPresent(time -> json.put("oldest", time.toEpochMilli()));
    }

    static void numbersOf(Map<JobStatus, Long> byStatus, ObjectNode json) {
        for (JobStatus status : JobStatus.values()) {
            json.put(status.json(), byStatus.getOrDefault(status, 0L));
        }
    }

    /** Changes the settings that the body names; null clears a setting. */
    ObjectNode change(ObjectNode body) {
        String type = JobId.checkType(body.path("type").asText());
        TypeSettings changed = queue.types().change(type, settings -> changed(settings, body));
        cached.forget();
        return json(changed);
    }

    private static TypeSettings changed(TypeSettings before, ObjectNode body) {
        TypeSettings settings = before;
        if (body.path("paused").isBoolean()) {
            settings = settings.withPaused(body.path("paused").booleanValue());
        }
        if (body.has("timeout")) {
            settings = body.path("timeout").isNull()
                    ? settings.withoutTimeout()
                    : settings.withTimeout(Duration.ofMillis(number(body, "timeout")));
        }
        if (body.has("maxRetries")) {
            RetryPolicy policy = settings.retryPolicy();
            int retries =
                    body.path("maxRetries").isNull() ? RetryPolicy.DEFAULT.maxRetries() : count(body, "maxRetries");
            settings = settings.withRetryPolicy(
                    new RetryPolicy(retries, policy.delay(), policy.maxDelay(), policy.jitter()));
        }
        for (Map.Entry<String, Limit> limit : LIMITS.entrySet()) {
            if (body.has(limit.getKey())) {
                settings = body.path(limit.getKey()).isNull()
                        ? settings.without(limit.getValue())
                        : settings.with(limit.getValue(), count(body, limit.getKey()));
            }
        }
        if (body.has("rate")) {
            JsonNode rate = body.path("rate");
            settings = rate.isNull()
                    ? settings.withoutRate()
                    : settings.withRate(new Rate(count(rate, "starts"), Duration.ofMillis(number(rate, "window"))));
        }
        if (body.has("retention")) {
            settings = settings.withRetention(retention(body.path("retention")));
        }
        if (body.has("failureRetention")) {
            settings = settings.withFailureRetention(retention(body.path("failureRetention")));
        }
        return settings;
    }

    private static @Nullable Retention retention(JsonNode json) {
        return json.isNull()
                ? null
                : Retention.parse(json)
                        .orElseThrow(() -> new Refusal(
                                400, "jobs are kept for 1 s to 36500 days, or at least 1 job is, or none, or all"));
    }

    private static int count(JsonNode body, String name) {
        return Math.toIntExact(Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, number(body, name))));
    }

    private static long number(JsonNode body, String name) {
        JsonNode value = body.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new Refusal(400, name + " must be a whole number");
        }
        return value.longValue();
    }

    private static ObjectNode json(TypeSettings settings) {
        ObjectNode json = Call.JSON
                .createObjectNode()
                .put("type", settings.type())
                .put("paused", settings.isPaused())
                .put("timeout", settings.timeout().map(Duration::toMillis).orElse(null))
                .put("maxRetries", settings.retryPolicy().maxRetries())
                .put("retryDelay", settings.retryPolicy().delay().toMillis());
        json.set("retention", settings.retention().toJson());
        json.set("failureRetention", settings.failureRetention().toJson());
        LIMITS.forEach((name, limit) -> {
            OptionalInt number = settings.get(limit);
            json.put(name, number.isPresent() ? number.getAsInt() : null);
        });
        settings.rate().ifPresent(rate -> json.putObject("rate")
                .put("starts", rate.starts())
                .put("window", rate.window().toMillis()));
        settings.classes().ifPresent(classes -> classes.forEach(json.putArray("classes")::add));
        return json;
    }
}
