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
 * The job types of a queue: their settings, such as timeouts, limits and pauses, and their job counts. Thread-safe. {@link
 * JobQueue} lists the exceptions that all methods throw.
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

    /** {@return the settings of all types that have settings, by type} */
    public Map<String, TypeSettings> settings() {
        return settings.readAll();
    }

    /**
     * Returns the settings of a type.
     *
     * @param type the type
     * @return the settings; empty settings when the type has none
     */
    public TypeSettings settings(String type) {
        return settings.read(type);
    }

    /**
     * Changes the settings of a type, such as limits, retries, retention, or whether it is paused. Running workers apply the change
     * within moments.
     *
     * @param type the type
     * @param change the change
     * @return the settings as stored
     */
    public TypeSettings change(String type, UnaryOperator<TypeSettings> change) {
        return settings.change(type, change);
    }

    /**
     * Stores the timeout and the retention of a {@code JobType} as settings of the type in the database. Settings that exist are
     * not overwritten. A worker does the same when it starts with a handler for the type.
     *
     * @param type the type
     */
    public void define(JobType<?> type) {
        settings.define(type);
    }

    /**
     * Returns the settings of a type; see {@link #settings(String)}.
     *
     * @param type the type
     * @return the settings; empty settings when the type has none
     */
    public TypeSettings settings(JobType<?> type) {
        return settings(type.name());
    }

    /**
     * Changes the settings of a type; see {@link #change(String, UnaryOperator)}.
     *
     * @param type the type
     * @param change the change
     * @return the settings as stored
     */
    public TypeSettings change(JobType<?> type, UnaryOperator<TypeSettings> change) {
        return change(type.name(), change);
    }

    /**
     * Sets how long an owner of a job of this type may be silent before another worker takes the job.
     *
     * @param type the type
     * @param timeout from 1 ms to 1000 days
     */
    public void setTimeout(String type, Duration timeout) {
        settings.change(type, present -> present.withTimeout(timeout));
    }

    /**
     * Returns the timeout of a type.
     *
     * @param type the type
     * @return the timeout; empty when the queue's default applies
     */
    public Optional<Duration> timeout(String type) {
        return settings.read(type).timeout();
    }

    /**
     * Removes the timeout of a type, so that the queue's default applies.
     *
     * @param type the type
     */
    public void clearTimeout(String type) {
        settings.change(type, TypeSettings::withoutTimeout);
    }

    /** {@return the number of jobs by type; includes types that have settings but no jobs} */
    public Map<String, TypeCounts> counts() {
        Map<String, TypeCounts> counts = new TreeMap<>();
        settings.readAll().keySet().forEach(type -> counts.put(type, new TypeCounts(Map.of(), null)));
        counts.putAll(withOldest(index.counts().byType()));
        return counts;
    }

    /** {@return the number of jobs that run at this site, by type; types without such jobs are left out} */
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
     * Counts the jobs by the values of a label, for example the jobs of each group, at all sites.
     *
     * @param label the label
     * @param limit the highest number of values to return; the number of values can be large, because each job may have its own
     *     correlation id
     * @return the number of jobs by label value and status, in the index's order of the values; a status without jobs is left out
     * @throws IllegalArgumentException when the limit is less than 1
     */
    public Map<String, Map<JobStatus, Long>> countsBy(JobFilter.Label label, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1: " + limit);
        }
        return index.counts().byLabel(label, limit);
    }

    /**
     * Counts pending jobs that run at this site.
     *
     * @param type the type
     * @param until the latest scheduled time to count, inclusive
     * @param limit the number at which counting stops
     * @return the number of jobs, at most the limit
     */
    public int pendingCount(String type, Instant until, int limit) {
        return index.counts().pending(type, until, limit);
    }

    /**
     * Lists the jobs that have an owner at this site now.
     *
     * @param type the type
     * @return the ids of these jobs
     */
    public List<String> activeIds(String type) {
        return index.owned(type).stream().map(JobId::id).toList();
    }
}
