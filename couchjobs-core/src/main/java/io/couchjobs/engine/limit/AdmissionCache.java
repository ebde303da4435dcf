package io.couchjobs.engine.limit;

import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verdicts of the rules of admission on jobs, so that a filter is asked once about each revision of a job.
 * Thread-safe. A filter that fails counts as a refusal; that is logged once a minute.
 */
public final class AdmissionCache {
    private static final Logger log = LoggerFactory.getLogger(AdmissionCache.class);
    private static final int MOST = 5_000;
    private static final Duration QUIET = Duration.ofMinutes(1);

    private final Admission admission;
    private final LongSupplier nanos;
    private final Map<String, Verdict> verdicts = RecentMap.byAge(MOST);

    private boolean failedBefore;
    private long loggedNanos;

    public AdmissionCache(Admission admission, LongSupplier nanos) {
        this.admission = admission;
        this.nanos = nanos;
    }

    /** Whether a job is admitted. */
    public boolean admits(Job job, Admission.Rules rules) {
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
        boolean yes = rules.takeClassOf(job) && passes(job, rules.filter());
        if (!yes) {
            admission.skippedOne();
        }
        synchronized (verdicts) {
            verdicts.put(docId, new Verdict(rules, job.rev().orElse(""), yes));
        }
        return yes;
    }

    private boolean passes(Job job, @Nullable Predicate<? super Job> filter) {
        try {
            return filter == null || filter.test(job);
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            failed(job, e);
            return false;
        }
    }

    private void failed(Job job, Throwable trouble) {
        admission.failedOnce();
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

    private record Verdict(Admission.Rules rules, String rev, boolean yes) {}
}
