package io.couchjobs.dashboard;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobFilter;
import io.couchjobs.type.TypeCounts;
import java.time.Duration;
import java.util.Map;

/** The numbers of jobs, from the sums that the index keeps. Thread-safe. */
final class Counts {
    private static final Duration FRESH = Duration.ofSeconds(1);

    private final Cached<Map<String, TypeCounts>> cached;

    Counts(JobQueue queue) {
        this.cached = new Cached<>(FRESH, queue.types()::counts, queue.operations()::building);
    }

    /** {@return the numbers by type, at most a moment old; types without jobs are missing} */
    Map<String, TypeCounts> byType() {
        return cached.get();
    }

    /** {@return how many jobs pass a filter by type and status; labels are ignored} */
    long of(JobFilter filter) {
        return byType().entrySet().stream()
                .filter(entry -> filter.ofType() == null || filter.ofType().equals(entry.getKey()))
                .flatMap(entry -> entry.getValue().byStatus().entrySet().stream())
                .filter(entry -> filter.ofStatus() == null || filter.ofStatus() == entry.getKey())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    void forget() {
        cached.forget();
    }
}
