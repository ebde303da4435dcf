package io.couchjobs.scope;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.worker.WorkerBuilder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * How much a scope takes. Immutable and thread-safe; what is not set has its default.
 *
 * @param ofConcurrency how many jobs run at once in each process that serves the scope: a number, {@code cores} or {@code cores*N};
 *     default 10. Each process counts its own cores, also one that submits and has to know when the scope is full
 * @param ofQueueLimit how many jobs may wait beside them; default three times the concurrency
 * @param classes only jobs of these classes are taken; empty, the default, takes all
 */
public record ScopeConfig(Optional<String> ofConcurrency, OptionalInt ofQueueLimit, Set<String> classes) {
    /** Nothing set: all defaults. */
    public static final ScopeConfig DEFAULTS = new ScopeConfig(Optional.empty(), OptionalInt.empty(), Set.of());

    private static final int CONCURRENCY = 10;
    private static final int QUEUED_PER_RUNNING = 3;
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final String FIELD_CONCURRENCY = "concurrency";
    private static final String FIELD_QUEUE_LIMIT = "queueLimit";
    private static final String FIELD_CLASSES = "classes";

    /**
     * Checks the values.
     *
     * @param ofConcurrency at least 1, also by the cores of this machine
     * @param ofQueueLimit 0 or more
     * @param classes copied
     * @throws IllegalArgumentException when one of them is out of range
     */
    public ScopeConfig {
        if (ofConcurrency.map(WorkerBuilder::slots).orElse(CONCURRENCY) < 1) {
            throw new IllegalArgumentException("concurrency must be at least 1: " + ofConcurrency.get());
        }
        if (ofQueueLimit.orElse(0) < 0) {
            throw new IllegalArgumentException("queueLimit must be 0 or more: " + ofQueueLimit.getAsInt());
        }
        classes = Set.copyOf(classes);
    }

    /**
     * {@return this configuration, with the number of jobs that run at once}
     *
     * @param jobs at least 1, in each process that serves the scope
     */
    public ScopeConfig concurrency(int jobs) {
        return concurrency(Integer.toString(jobs));
    }

    /**
     * {@return this configuration, with the number of jobs that run at once, by the cores of the machine that runs them}
     *
     * @param jobs {@code cores}, {@code cores*N} or a number
     * @throws IllegalArgumentException when it is none of these, or less than 1
     */
    public ScopeConfig concurrency(String jobs) {
        return new ScopeConfig(Optional.of(jobs.strip()), ofQueueLimit, classes);
    }

    /** {@return the configuration with the default of {@link #concurrency()}} */
    public ScopeConfig withoutConcurrency() {
        return new ScopeConfig(Optional.empty(), ofQueueLimit, classes);
    }

    /**
     * {@return this configuration, with the number of jobs that may wait while all places are taken}
     *
     * @param jobs 0 or more
     */
    public ScopeConfig queueLimit(int jobs) {
        return new ScopeConfig(ofConcurrency, OptionalInt.of(jobs), classes);
    }

    /**
     * {@return the configuration with the default of {@link #queueLimit()}}
     */
    public ScopeConfig withoutQueueLimit() {
        return new ScopeConfig(ofConcurrency, OptionalInt.empty(), classes);
    }

    /**
     * {@return this configuration, for jobs of certain classes only}
     *
     * @param only the classes; none takes all jobs
     */
    public ScopeConfig classes(String... only) {
        return new ScopeConfig(ofConcurrency, ofQueueLimit, new LinkedHashSet<>(List.of(only)));
    }

    /** {@return how many jobs run at once in this process, if it serves the scope; set or not} */
    public int concurrency() {
        return ofConcurrency.map(WorkerBuilder::slots).orElse(CONCURRENCY);
    }

    /** {@return how many jobs may wait, set or not} */
    public int queueLimit() {
        return ofQueueLimit.orElse((int) Math.min(Integer.MAX_VALUE, QUEUED_PER_RUNNING * (long) concurrency()));
    }

    /**
     * {@return the configuration in a document; a value that cannot be one counts as not set}
     *
     * @param json the part of the document
     */
    public static ScopeConfig of(JsonNode json) {
        Set<String> classes = new LinkedHashSet<>();
        json.path(FIELD_CLASSES).forEach(name -> classes.add(name.asText()));
        return new ScopeConfig(
                concurrency(json.path(FIELD_CONCURRENCY)), number(json.path(FIELD_QUEUE_LIMIT), 0), classes);
    }

    /** {@return the configuration as it is stored} */
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ofConcurrency.ifPresent(jobs -> {
            if (NUMBER.matcher(jobs).matches()) {
                json.put(FIELD_CONCURRENCY, Integer.parseInt(jobs));
            } else {
                json.put(FIELD_CONCURRENCY, jobs);
            }
        });
        ofQueueLimit.ifPresent(jobs -> json.put(FIELD_QUEUE_LIMIT, jobs));
        if (!classes.isEmpty()) {
            ArrayNode names = json.putArray(FIELD_CLASSES);
            classes.stream().sorted().forEach(names::add);
        }
        return json;
    }

    private static Optional<String> concurrency(JsonNode value) {
        try {
            return Optional.of(value.asText()).filter(text -> WorkerBuilder.slots(text) >= 1);
        } catch (IllegalArgumentException notOne) {
            return Optional.empty();
        }
    }

    private static OptionalInt number(JsonNode value, int least) {
        return value.isIntegralNumber() && value.canConvertToInt() && value.asInt() >= least
                ? OptionalInt.of(value.asInt())
                : OptionalInt.empty();
    }
}
