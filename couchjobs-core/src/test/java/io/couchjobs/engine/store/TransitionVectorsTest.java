package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.lifecycle.ClaimSignature;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Progress;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.Vectors;
import io.couchjobs.type.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The vectors of transitions, which other clients use too, say what the classes write. */
class TransitionVectorsTest {
    @TestFactory
    Stream<DynamicTest> each_event_writes_what_the_vectors_say() {
        return Vectors.of("transitions", "cases", TransitionVectorsTest::expect);
    }

    private static JsonNode expect(ObjectNode vector) {
        Instant now = time(vector.path("now"));
        JsonNode arguments = vector.path("arguments");
        if (vector.path("event").asText().equals("create")) {
            return written(Transitions.create(request(arguments, jobId(arguments)), now)
                    .toDocument());
        }
        ObjectNode document = (ObjectNode) vector.path("job");
        Job job = Job.parse(document);
        return switch (vector.path("event").asText()) {
            case "remove" -> written(JobTombstone.ofRemoved(document));
            case "retire" -> written(JobTombstone.ofRetired(Stores.row(job)));
            case "keep" -> written(ClusterTransitions.keep(job, now).toDocument());
            default -> expect(decide(vector.path("event").asText(), job, arguments, now));
        };
    }

    private static ObjectNode expect(Decision decision) {
        ObjectNode neither = JsonNodeFactory.instance.objectNode();
        return decision.write()
                .map(job -> written(job.toDocument()))
                .orElseGet(() -> neither.put(decision.isRefused() ? "refused" : "nothing", true));
    }

    private static ObjectNode written(ObjectNode document) {
        return JsonNodeFactory.instance.objectNode().set("write", document);
    }

    private static Decision decide(String event, Job job, JsonNode given, Instant now) {
        return switch (event) {
            case "add" ->
                Transitions.add(
                        job, request(given, job.id()), given.path("replace").asBoolean(), now);
            case "letGo" -> letGo(job, given, now);
            case "claim" -> claim(job, given, now);
            case "start" -> Transitions.start(job, now);
            case "update" -> Transitions.update(job, object(given.get("data")), progress(given), now);
            case "finish" -> Transitions.finish(job, given.get("result"), object(given.get("data")), now);
            case "fail" -> fail(job, given, now);
            case "release" -> Transitions.release(job, now);
            case "snooze" -> Transitions.snooze(job, time(given.path("until")), now);
            case "acknowledgeCancel" ->
                Transitions.acknowledgeCancel(job, given.path("reason").asText(), now);
            case "expire" -> Transitions.expire(job, number(given.path("maxExpirations")), now);
            case "cancel" -> Transitions.cancel(job, given.path("reason").textValue(), now);
            case "requestCancel" -> Transitions.requestCancel(job, null, now);
            case "resubmit" ->
                Transitions.resubmit(
                        job,
                        given.has("scheduledTime") ? time(given.path("scheduledTime")) : null,
                        object(given.get("data")),
                        now);
            case "retry" -> Transitions.retry(job, null, now);
            case "reschedule" -> Transitions.reschedule(job, time(given.path("scheduledTime")), now);
            case "prioritize" ->
                Transitions.prioritize(job, given.path("priority").asInt(), now);
            case "withdraw" ->
                ClusterTransitions.withdraw(job, given.path("reason").asText(), now);
            default -> throw new IllegalArgumentException("no such event: " + event);
        };
    }

    private static Decision claim(Job job, JsonNode given, Instant now) {
        Decision claim = Transitions.claim(
                job,
                given.path("token").asText(),
                given.path("worker").asText(),
                given.path("start").asBoolean(),
                now);
        return given.has("user")
                ? new Decision(
                        job,
                        ClaimSignature.sign(
                                claim.write().orElseThrow(), given.path("user").asText()),
                        false)
                : claim;
    }

    private static Decision letGo(Job job, JsonNode given, Instant now) {
        Map<JobId, JobStatus> states = new HashMap<>();
        given.path("states")
                .properties()
                .forEach(state -> states.put(
                        JobId.fromDocId(state.getKey()).orElseThrow(),
                        JobStatus.fromJson(state.getValue().asText()).orElseThrow()));
        Set<JobId> removed = new HashSet<>();
        given.path("removed")
                .forEach(id -> removed.add(JobId.fromDocId(id.asText()).orElseThrow()));
        After.Verdict verdict =
                job.after().map(after -> after.judge(states, removed)).orElse(After.Verdict.READY);
        return Transitions.letGo(job, verdict, now);
    }

    private static Decision fail(Job job, JsonNode given, Instant now) {
        JobError error = new JobError(
                job.attempt(),
                now,
                JobError.Kind.valueOf(given.path("kind").asText().toUpperCase(Locale.ROOT)),
                given.path("message").asText(),
                given.has("stack") ? given.path("stack").asText() : null);
        return Transitions.fail(
                job,
                error,
                policy(given.path("policy")),
                given.path("permanent").asBoolean(),
                now);
    }

    private static RetryPolicy policy(JsonNode given) {
        return new RetryPolicy(
                given.path("maxRetries").asInt(),
                Duration.ofMillis(given.path("retryDelay").asLong()),
                Duration.ofMillis(given.path("maxRetryDelay").asLong()),
                given.path("retryJitter").asDouble());
    }

    private static Optional<JobId> named(JsonNode arguments) {
        return JobId.fromDocId(arguments.path("id").asText());
    }

    private static JobId jobId(JsonNode arguments) {
        return named(arguments).orElseGet(() -> new JobId(arguments.path("type").asText(), "by its tracker"));
    }

    private static JobRequest request(JsonNode arguments, JobId id) {
        JsonNode given = arguments.path("request");
        JobRequest.Builder request =
                JobRequest.builder(id.type()).data(given.path("data")).scheduledTime(time(given.path("scheduledTime")));
        if (given.has("tracker")) {
            request.tracker(given.path("tracker").asText());
        } else {
            request.id(id.id());
        }
        text(given, "group", request::group);
        text(given, "class", request::jobClass);
        text(given, "origin", request::origin);
        text(given, "correlationId", request::correlationId);
        text(given, "site", request::site);
        number(given.path("priority")).ifPresent(request::priority);
        number(given.path("maxRetries")).ifPresent(request::maxRetries);
        given.path("tags").forEach(tag -> request.tag(tag.asText()));
        JsonNode after = given.path("after");
        after.path("jobs")
                .forEach(job -> request.after(JobId.fromDocId(job.asText()).orElseThrow()));
        text(after, "onFailure", policy -> request.onFailure(After.OnFailure.valueOf(policy.toUpperCase(Locale.ROOT))));
        return request.build();
    }

    private static void text(JsonNode given, String field, Consumer<String> taker) {
        if (given.has(field)) {
            taker.accept(given.path(field).asText());
        }
    }

    private static OptionalInt number(JsonNode given) {
        return given.isMissingNode() ? OptionalInt.empty() : OptionalInt.of(given.asInt());
    }

    private static Instant time(JsonNode given) {
        return Instant.ofEpochMilli(given.asLong());
    }

    private static @Nullable ObjectNode object(@Nullable JsonNode given) {
        return (ObjectNode) given;
    }

    private static @Nullable Progress progress(JsonNode given) {
        JsonNode progress = given.path("progress");
        return progress.isMissingNode()
                ? null
                : new Progress(
                        progress.path("percent").asInt(),
                        progress.has("message") ? progress.path("message").asText() : null);
    }
}
