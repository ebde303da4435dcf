package io.couchjobs;

import io.couchjobs.engine.Engine;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.index.Parallel;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The job types of a queue: their settings, such as timeouts, limits and pauses, and how many jobs there are. Thread-safe. {@link
 * JobQueue} says what all methods throw.
 */
public final class Types {
    private final SettingsStore settings;
    private final JobIndex index;
    private final Environment environment;

    Types(Engine engine) {
        this.settings = engine.settings();
        this.index = engine.index();
        this.environment = engine.parts().store().environment();
    }

    /** {@return the types that have settings or jobs} */
    public Set<String> names() {
        Set<String> types = new TreeSet<>(settings.readAll().keySet());
        types.addAll(index.counts().byType().keySet());
        return types;
    }

    /** {@return the settings of all types that have some, by type} */
    public Map<String, TypeSettings> settings() {
        return settings.readAll();
    }

    /**
     * The settings of a type.
     *
     * @param type the type
     * @return the settings; empty ones when the type has none
     */
    public TypeSettings settings(String type) {
        return settings.read(type);
    }

    /**
     * Changes the settings of a type: its limits, retries, retention and others, and whether it is paused. Running workers
     * follow within moments.
     *
     * @param type the type
     * @param change what to change
     * @return the settings as stored
     */
    public TypeSettings change(String type, UnaryOperator<TypeSettings> change) {
        return settings.change(type, change);
    }

    /**
     * Stores the timeout and the retention that a type names, where the type in the database has none yet. A setting of an
     * operator stays. A worker does the same when it starts with a handler for the type.
     *
     * @param type the type
     */
    public void define(JobType<?> type) {
        settings.define(type);
    }

    /**
     * The settings of a type; see {@link #settings(String)}.
     *
     * @param type the type
     * @return the settings; empty ones when the type has none
     */
    public TypeSettings settings(JobType<?> type) {
        return settings(type.name());
    }

    /**
     * Changes the settings of a type; see {@link #change(String, UnaryOperator)}.
     *
     * @param type the type
     * @param change what to change
     * @return the settings as stored
     */
    public TypeSettings change(JobType<?> type, UnaryOperator<TypeSettings> change) {
        return change(type.name(), change);
    }

    /**
     * Sets how long an owner of a job of this type may be silent before another worker takes the job.
     *
     * @param type the type
     * @param timeout at least a millisecond
     */
    public void setTimeout(String type, Duration timeout) {
        settings.change(type, present -> present.withTimeout(timeout));
    }

    /**
     * The timeout of a type.
     *
     * @param type the type
     * @return the timeout; empty when the queue's default holds
     */
    public Optional<Duration> timeout(String type) {
        return settings.read(type).timeout();
    }

    /**
     * Lets the queue's default timeout hold for a type.
     *
     * @param type the type
     */
    public void clearTimeout(String type) {
        settings.change(type, TypeSettings::withoutTimeout);
    }

    /** {@return how many jobs there are, by type; types with settings but no jobs are there too} */
    public Map<String, TypeCounts> counts() {
        Map<String, TypeCounts> counts = new TreeMap<>();
        settings.readAll().keySet().forEach(type -> counts.put(type, new TypeCounts(Map.of(), null)));
        counts.putAll(withOldest(index.counts().byType()));
        return counts;
    }

    /** {@return how many jobs that are run here there are, by type; types without any are missing} */
    Map<String, TypeCounts> countsHere() {
        return withOldest(index.counts().byTypeHere());
    }

    private Map<String, TypeCounts> withOldest(Map<String, Map<JobStatus, Long>> byType) {
        Map<String, TypeCounts> counts = new TreeMap<>();
        Parallel.ask(environment, byType.entrySet(), this::withOldest)
                .forEach(type -> counts.put(type.getKey(), type.getValue()));
        return counts;
    }

    private Map.Entry<String, TypeCounts> withOldest(Map.Entry<String, Map<JobStatus, Long>> type) {
        TypeCounts counts = new TypeCounts(type.getValue(), null);
        Instant oldest = counts.pending() == 0
                ? null
                : index.counts().oldestPending(type.getKey()).orElse(null);
        return Map.entry(type.getKey(), new TypeCounts(type.getValue(), oldest));
    }

    /**
     * Counts the jobs that carry a label, such as those of each group, whatever site runs them.
     *
     * @param label which label
     * @param limit how many of its values at most: each job may have a correlation id of its own
     * @return how many there are, by the value of the label and by status, in the index's order of the values; a status without
     *     jobs is missing
     * @throws IllegalArgumentException when the limit is less than 1
     */
    public Map<String, Map<JobStatus, Long>> countsBy(JobFilter.Label label, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1: " + limit);
        }
        return index.counts().byLabel(label, limit);
    }

    /**
     * Counts pending jobs that are run here.
     *
     * @param type the type
     * @param until only those scheduled up to this time, inclusive
     * @param limit where counting stops
     * @return how many there are, at most the limit
     */
    public int pendingCount(String type, Instant until, int limit) {
        return index.counts().pending(type, until, limit);
    }

    /**
     * Lists the jobs that are owned here now.
     *
     * @param type the type
     * @return their ids
     */
    public List<String> activeIds(String type) {
        return index.owned(type).stream().map(JobId::id).toList();
    }
}
