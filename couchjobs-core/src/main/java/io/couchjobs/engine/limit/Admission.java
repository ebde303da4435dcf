package io.couchjobs.engine.limit;

import io.couchjobs.job.Job;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that one worker takes: a filter and a list of classes, both changeable at any time, in addition to the
 * settings of the types. Thread-safe.
 */
public final class Admission {
    private final Runnable onChange;
    private final LongAdder skipped = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private @Nullable Predicate<? super Job> filter;
    private @Nullable Set<String> classes;
    private long changes;

    public Admission(Runnable onChange) {
        this.onChange = onChange;
    }

    /**
     * Sets the filter. Jobs that were refused are looked at again, also when the filter is the same one as before.
     *
     * @param newFilter which jobs to take, or null for all
     */
    public void filter(@Nullable Predicate<? super Job> newFilter) {
        synchronized (this) {
            filter = newFilter;
            changes++;
        }
        onChange.run();
    }

    /**
     * Sets the classes.
     *
     * @param allowed the classes to take, {@code ""} for jobs without one; null for all
     */
    public void classes(@Nullable Set<String> allowed) {
        synchronized (this) {
            classes = allowed == null ? null : Set.copyOf(allowed);
            changes++;
        }
        onChange.run();
    }

    /** {@return how often a job was left because the filter or a list of classes does not admit it} */
    public long skipped() {
        return skipped.sum();
    }

    /** {@return how often the filter failed, which counts as no} */
    public long failures() {
        return failures.sum();
    }

    void skippedOne() {
        skipped.increment();
    }

    void failedOnce() {
        failures.increment();
    }

    /** The present rules for a type, with the classes that its settings allow. */
    public synchronized Rules rules(Optional<Set<String>> allowedByType) {
        Set<String> allowed = classes;
        if (allowedByType.isPresent()) {
            allowed = allowed == null ? allowedByType.get() : common(allowed, allowedByType.get());
        }
        return new Rules(filter, allowed, filter == null ? 0 : changes);
    }

    private static Set<String> common(Set<String> one, Set<String> other) {
        Set<String> both = new HashSet<>(one);
        both.retainAll(other);
        return Set.copyOf(both);
    }

    /**
     * The conditions for a job to be taken. Immutable.
     *
     * @param filter admits a job, or null
     * @param classes the classes to take, or null
     * @param version distinguishes two settings of the same filter
     */
    public record Rules(
            @Nullable Predicate<? super Job> filter,
            @Nullable Set<String> classes,
            long version) {
        public static final Rules ALL = new Rules(null, null, 0);

        public boolean takeAll() {
            return filter == null && classes == null;
        }

        public boolean takeClassOf(Job job) {
            return classes == null || classes.contains(job.jobClass().orElse(""));
        }
    }
}
