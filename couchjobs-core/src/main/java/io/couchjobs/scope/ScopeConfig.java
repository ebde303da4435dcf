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
 * The configuration of a scope: its capacity and the classes of its jobs. Values that are not set have defaults. Immutable and
 * thread-safe.
 *
 * @param ofConcurrency the number of jobs that run at once in each process that serves the scope: a number, {@code cores} or {@code
 *     cores*N}; default 10. Each process counts its own cores, including a submitting process, which checks whether the scope is
 *     full
 * @param ofQueueLimit the number of jobs that may wait in addition; the default is three times the concurrency
 * @param classes the classes of jobs that the scope accepts; empty, the default, accepts all jobs
 */
public record ScopeConfig(Optional<String> ofConcurrency, OptionalInt ofQueueLimit, Set<String> classes) {
    /** The configuration with all defaults. */
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
     * @param ofConcurrency the concurrency, at least 1 on this machine
     * @param ofQueueLimit the queue limit, 0 or more
     * @param classes the classes; copied
     * @throws IllegalArgumentException when a value is out of range
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
     * @param jobs the number of jobs in each process that serves the scope, at least 1
     */
    public ScopeConfig concurrency(int jobs) {
        return concurrency(Integer.toString(jobs));
    }

    /**
     * {@return this configuration, with the number of jobs that run at once, possibly per core of the machine that runs them}
     *
     * @param jobs {@code cores}, {@code cores*N} or a number
     * @throws IllegalArgumentException when the text has none of these forms, or the number is less than 1
     */
    public ScopeConfig concurrency(String jobs) {
        return new ScopeConfig(Optional.of(jobs.strip()), ofQueueLimit, classes);
    }

    /** {@return this configuration, with the default concurrency} */
    public ScopeConfig withoutConcurrency() {
        return new ScopeConfig(Optional.empty(), ofQueueLimit, classes);
    }

    /**
     * {@return this configuration, with the number of jobs that may wait while all slots are taken}
     *
     * @param jobs the number of jobs, 0 or more
     */
    public ScopeConfig queueLimit(int jobs) {
        return new ScopeConfig(ofConcurrency, OptionalInt.of(jobs), classes);
    }

    /** {@return this configuration, with the default queue limit} */
    public ScopeConfig withoutQueueLimit() {
        return new ScopeConfig(ofConcurrency, OptionalInt.empty(), classes);
    }

    /**
     * {@return this configuration, for jobs of some classes only}
     *
     * @param only the classes; no classes accept all jobs
     */
    public ScopeConfig classes(String... only) {
        return new ScopeConfig(ofConcurrency, ofQueueLimit, new LinkedHashSet<>(List.of(only)));
    }

    /**
     * {@return the number of jobs that run at once in this process if it serves the scope: the configured number or the default}
     */
    public int concurrency() {
        return ofConcurrency.map(WorkerBuilder::slots).orElse(CONCURRENCY);
    }

    /** {@return the number of jobs that may wait: the configured number or the default} */
    public int queueLimit() {
        return ofQueueLimit.orElse((int) Math.min(Integer.MAX_VALUE, QUEUED_PER_RUNNING * (long) concurrency()));
    }

    /**
     * {@return the configuration in a document; an invalid value counts as not set}
     *
     * @param json the part of the document
     */
    public static ScopeConfig of(JsonNode json) {
        Set<String> classes = new LinkedHashSet<>();
        json.path(FIELD_CLASSES).forEach(name -> classes.add(name.asText()));
        return new ScopeConfig(
                concurrency(json.path(FIELD_CONCURRENCY)), number(json.path(FIELD_QUEUE_LIMIT), 0), classes);
    }

    /** {@return the configuration in its stored form} */
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
