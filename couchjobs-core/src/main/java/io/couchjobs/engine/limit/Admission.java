package io.couchjobs.engine.limit;

import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which jobs one worker takes, by a filter and a list of classes in addition to the settings of the types. Both
 * may change at any time. A filter is called once for each revision of a job. A filter that fails counts as a refusal;
 * failures are logged once a minute. Thread-safe.
 */
public final class Admission {
    private static final Logger log = LoggerFactory.getLogger(Admission.class);
    private static final int MOST_VERDICTS = 5_000;
    private static final Duration QUIET = Duration.ofMinutes(1);

    private final Runnable onChange;
    private final LongSupplier nanos;
    private final LongAdder skipped = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private @Nullable Predicate<? super Job> filter;
    private @Nullable Set<String> classes;
    private long changes;
    /** Guards itself and the fields below. */
    private final Map<String, Verdict> verdicts = RecentMap.byAge(MOST_VERDICTS);

    private boolean failedBefore;
    private long loggedNanos;

    public Admission(Runnable onChange, LongSupplier nanos) {
        this.onChange = onChange;
        this.nanos = nanos;
    }

    /**
     * Sets the filter. Jobs that were refused are considered again, even when the filter is the same as before.
     *
     * @param newFilter selects the jobs to take, or null for all
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

    /** {@return how often the filter or a list of classes refused a job} */
    public long skipped() {
        return skipped.sum();
    }

    /** {@return how often the filter failed; a failure counts as a refusal} */
    public long failures() {
        return failures.sum();
    }

    /** Returns the present rules for a type, with the classes that its settings allow. */
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

    /** Returns whether a job is admitted. */
    public boolean admits(Job job, Rules rules) {
        if (rules.takeAll()) {
            return true;
        }
        String docId = job.id().docId();
        synchronized (verdicts) {
            Verdict known = verdicts.get(docId);
            if (known != null
                    && known.rules().equals(rules)
                    && known.rev().equals(job.rev().orElse(""))) {
                return known.yes();
            }
        }
        boolean yes = rules.takeClassOf(job) && passes(job, rules);
        if (!yes) {
            skipped.increment();
        }
        synchronized (verdicts) {
            verdicts.put(docId, new Verdict(rules, job.rev().orElse(""), yes));
        }
        return yes;
    }

    private boolean passes(Job job, Rules rules) {
        try {
            return rules.filter() == null || rules.filter().test(job);
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            failed(job, e);
            return false;
        }
    }

    private void failed(Job job, Throwable trouble) {
        failures.increment();
        synchronized (verdicts) {
            long now = nanos.getAsLong();
            if (failedBefore && now - loggedNanos < QUIET.toNanos()) {
                return;
            }
            failedBefore = true;
            loggedNanos = now;
        }
        log.warn(
                "the filter failed for {}, which is left to others; it is asked again when the job changes"
                        + " (further failures are counted, and logged once a minute)",
                job.id(),
                trouble);
    }

    private record Verdict(Rules rules, String rev, boolean yes) {}

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
