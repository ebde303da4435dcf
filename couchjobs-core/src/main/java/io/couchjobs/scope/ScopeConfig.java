package io.couchjobs.scope;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.OptionalInt;
import java.util.Set;

/**
 * How much a scope takes. Immutable and thread-safe; what is not set has its default.
 *
 * @param ofConcurrency how many jobs run at once in each process that serves the scope; default 10
 * @param ofQueueLimit how many jobs may wait beside them; default three times the concurrency
 * @param classes only jobs of these classes are taken; empty, the default, takes all
 */
public record ScopeConfig(OptionalInt ofConcurrency, OptionalInt ofQueueLimit, Set<String> classes) {
    /** Nothing set: all defaults. */
    public static final ScopeConfig DEFAULTS = new ScopeConfig(OptionalInt.empty(), OptionalInt.empty(), Set.of());

    private static final int CONCURRENCY = 10;
    private static final int QUEUED_PER_RUNNING = 3;
    private static final String FIELD_CONCURRENCY = "concurrency";
    private static final String FIELD_QUEUE_LIMIT = "queueLimit";
    private static final String FIELD_CLASSES = "classes";

    /**
     * Checks the values.
     *
     * @param ofConcurrency at least 1
     * @param ofQueueLimit 0 or more
     * @param classes copied
     * @throws IllegalArgumentException when one of them is out of range
     */
    public ScopeConfig {
        if (ofConcurrency.orElse(1) < 1) {
            throw new IllegalArgumentException("concurrency must be at least 1: " + ofConcurrency.getAsInt());
        }
        if (ofQueueLimit.orElse(0) < 0) {
            throw new IllegalArgumentException("queueLimit must be 0 or more: " + ofQueueLimit.getAsInt());
        }
        classes = Set.copyOf(classes);
    }

    /**
     * Sets how many jobs run at once.
     *
     * @param jobs at least 1, in each process that serves the scope
     * @return the changed configuration
     */
    public ScopeConfig concurrency(int jobs) {
        return new ScopeConfig(OptionalInt.of(jobs), ofQueueLimit, classes);
    }

    /**
     * Sets how many jobs may wait while all places are taken.
     *
     * @param jobs 0 or more
     * @return the changed configuration
     */
    public ScopeConfig queueLimit(int jobs) {
        return new ScopeConfig(ofConcurrency, OptionalInt.of(jobs), classes);
    }

    /**
     * Takes only jobs of certain classes.
     *
     * @param only the classes; none takes all jobs
     * @return the changed configuration
     */
    public ScopeConfig classes(String... only) {
        return new ScopeConfig(ofConcurrency, ofQueueLimit, new LinkedHashSet<>(Set.of(only)));
    }

    /** {@return how many jobs run at once, set or not} */
    public int concurrency() {
        return ofConcurrency.orElse(CONCURRENCY);
    }

    /** {@return how many jobs may wait, set or not} */
    public int queueLimit() {
        return ofQueueLimit.orElse(QUEUED_PER_RUNNING * concurrency());
    }

    /**
     * {@return the configuration in a document; a value that is no such number counts as not set}
     *
     * @param json the part of the document
     */
    public static ScopeConfig of(JsonNode json) {
        Set<String> classes = new LinkedHashSet<>();
        json.path(FIELD_CLASSES).forEach(name -> classes.add(name.asText()));
        return new ScopeConfig(
                number(json.path(FIELD_CONCURRENCY), 1), number(json.path(FIELD_QUEUE_LIMIT), 0), classes);
    }

    /** {@return the configuration as it is stored} */
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ofConcurrency.ifPresent(jobs -> json.put(FIELD_CONCURRENCY, jobs));
        ofQueueLimit.ifPresent(jobs -> json.put(FIELD_QUEUE_LIMIT, jobs));
        if (!classes.isEmpty()) {
            ArrayNode names = json.putArray(FIELD_CLASSES);
            classes.stream().sorted().forEach(names::add);
        }
        return json;
    }

    private static OptionalInt number(JsonNode value, int least) {
        return value.isIntegralNumber() && value.canConvertToInt() && value.asInt() >= least
                ? OptionalInt.of(value.asInt())
                : OptionalInt.empty();
    }
}
