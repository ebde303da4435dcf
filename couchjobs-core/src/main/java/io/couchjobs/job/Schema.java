package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.FieldValues;
import io.couchjobs.engine.document.Nesting;
import io.couchjobs.engine.document.StoredText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which documents are valid jobs. A field that is missing or null has its default value. Only {@code data} must not be
 * null, but it may be missing. The map functions check the same rules (design-docs/lib/job.js): change both together.
 */
final class Schema {
    /** The largest distance from the epoch, in ms, that both JavaScript and Java support. */
    private static final double FAR = 8.64e15;

    private static final Pattern SITE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private static final Map<String, Rule> RULES = rules();

    private Schema() {}

    static Optional<String> firstProblem(JsonNode document) {
        Optional<String> deep = Nesting.deepField(document);
        if (deep.isPresent()) {
            return Optional.of("field " + deep.get() + " " + Nesting.TOO_DEEP);
        }
        for (Map.Entry<String, Rule> rule : RULES.entrySet()) {
            JsonNode value = document.get(rule.getKey());
            if (value != null && !rule.getValue().accepts(value)) {
                return Optional.of("field " + rule.getKey() + " must be " + rule.getValue().what + ", not "
                        + StoredText.of(value.toString(), 60));
            }
        }
        return lockProblem(document);
    }

    /** {@return the problems of the properties of a requested job; each names the field and its value} */
    static List<String> requestProblems(@Nullable String id, FieldValues fields, int awaited, Instant scheduledTime) {
        List<String> problems = new ArrayList<>();
        int priority = fields.integer(Field.PRIORITY, 0);
        require(priority >= 0 && priority <= 99, problems, "priority must be 0 to 99: " + priority);
        int maxRetries = fields.integer(Field.MAX_RETRIES, 0);
        require(maxRetries >= 0, problems, "maxRetries must be 0 or more: " + maxRetries);
        Optional<String> tracker = fields.text(Field.TRACKER);
        require(
                id == null || tracker.isEmpty(),
                problems,
                "id and tracker cannot both be given (the id is derived from the tracker): " + id + ", "
                        + tracker.orElse(""));
        require(awaited <= After.MOST, problems, "after names more than " + After.MOST + " jobs: " + awaited);
        Optional<String> noId = fields.text(Field.CORRELATION_ID).filter(String::isEmpty);
        require(noId.isEmpty(), problems, "correlationId must not be empty");
        Optional<String> site = fields.text(Field.SITE);
        require(
                site.filter(name -> !isSite(name)).isEmpty(),
                problems,
                "site cannot be the name of one: " + site.orElse(""));
        require(isTime(scheduledTime), problems, "scheduledTime is out of range: " + scheduledTime);
        return problems;
    }

    private static void require(boolean holds, List<String> problems, String problem) {
        if (!holds) {
            problems.add(problem);
        }
    }

    private static Optional<String> lockProblem(JsonNode document) {
        boolean locked = document.hasNonNull(Field.LOCK);
        JobStatus status =
                JobStatus.fromJson(document.path(Field.STATUS).asText()).orElse(JobStatus.WAITING);
        if (locked == status.isLocked()) {
            return Optional.empty();
        }
        return Optional.of("its status is " + status.json() + " but it has " + (locked ? "a" : "no") + " lock");
    }

    private static Map<String, Rule> rules() {
        Map<String, Rule> rules = new LinkedHashMap<>();
        rules.put(
                Field.STATUS,
                optional(
                        "one of waiting, scheduled, running, stuck, success, failed, cancelled",
                        value -> value.isTextual()
                                && JobStatus.fromJson(value.asText()).isPresent()));
        rules.put(Field.SCHEDULED_TIME, optional("an integer, epoch milliseconds or seconds", Schema::isTime));
        rules.put(Field.DATA, new Rule("an object", JsonNode::isObject));
        rules.put(
                Field.LOCK,
                optional(
                        "an object with a string token, and with an object, at a time, if it was withdrawn",
                        Schema::isLock));
        for (String count : new String[] {Field.FENCE, Field.ATTEMPT, Field.MAX_RETRIES, Field.EXPIRATIONS}) {
            rules.put(count, optional("an integer from 0", value -> isInteger(value, 0, Integer.MAX_VALUE)));
        }
        rules.put(
                Field.ERRORS,
                optional(
                        "an array of objects",
                        value -> value.isArray() && value.valueStream().allMatch(JsonNode::isObject)));
        rules.put(Field.RESUBMIT, optional("an object", Schema::isResubmit));
        rules.put(Field.CANCEL_REQUESTED, optional("a boolean", JsonNode::isBoolean));
        for (String text : new String[] {Field.GROUP, Field.CLASS, Field.ORIGIN, Field.CORRELATION_ID, Field.TRACKER}) {
            rules.put(text, optional("a string", JsonNode::isTextual));
        }
        rules.put(
                Field.SITE,
                optional(
                        "the name of a site: 1 to 64 of a to z, digits, dots, underscores, hyphens",
                        value -> value.isTextual() && isSite(value.asText())));
        rules.put(Field.PRIORITY, optional("an integer from 0 to 99", value -> isInteger(value, 0, 99)));
        rules.put(
                Field.TAGS,
                optional(
                        "an array of strings",
                        value -> value.isArray() && value.valueStream().allMatch(JsonNode::isTextual)));
        rules.put(Field.AFTER, optional("an object with the ids of jobs", After::isValid));
        rules.put(Field.PROGRESS, optional("an object", JsonNode::isObject));
        rules.put(Field.TIMES, optional("an object of epoch milliseconds", Schema::isTimes));
        return rules;
    }

    private static boolean isLock(JsonNode value) {
        JsonNode withdrawn = value.path(Field.WITHDRAWN);
        return value.isObject()
                && value.path(Field.TOKEN).isTextual()
                && (isAbsent(withdrawn) || (withdrawn.isObject() && isTimeOrAbsent(withdrawn.path(Field.AT))));
    }

    private static boolean isResubmit(JsonNode value) {
        return value.isObject() && isTimeOrAbsent(value.path(Field.SCHEDULED_TIME));
    }

    private static boolean isTimeOrAbsent(JsonNode value) {
        return isAbsent(value) || isTime(value);
    }

    private static boolean isAbsent(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }

    private static boolean isTimes(JsonNode value) {
        return value.isObject() && value.valueStream().allMatch(Schema::isTime);
    }

    private static boolean isTime(JsonNode value) {
        return isInteger(value, -FAR, FAR);
    }

    static boolean isSite(String name) {
        return SITE.matcher(name).matches();
    }

    static boolean isTime(Instant time) {
        return Math.abs(time.getEpochSecond() * 1e3 + time.getNano() / 1e6) <= FAR;
    }

    /** {@return the time in epoch ms, limited to the range that JavaScript supports} */
    static long nearestMillis(Instant time) {
        return isTime(time) ? time.toEpochMilli() : (long) (time.isAfter(Instant.EPOCH) ? FAR : -FAR);
    }

    private static boolean isInteger(JsonNode value, double least, double most) {
        return value.isNumber()
                && value.asDouble() == Math.rint(value.asDouble())
                && value.asDouble() >= least
                && value.asDouble() <= most;
    }

    private static Rule optional(String what, Predicate<JsonNode> check) {
        return new Rule(what, value -> value.isNull() || check.test(value));
    }

    private record Rule(String what, Predicate<JsonNode> check) {
        boolean accepts(JsonNode value) {
            return check.test(value);
        }
    }
}
