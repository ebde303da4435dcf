package io.couchjobs.dashboard;

import io.couchjobs.JobQueue;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.TypeCounts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How many jobs there are, by the sums that the index keeps. Thread-safe. */
final class Counts {
    private static final Duration FRESH = Duration.ofSeconds(1);

    private final JobIndex index;
    private final Cached<Map<String, TypeCounts>> cached;

    Counts(JobQueue queue) {
        this.index = new JobIndex(queue.designDocuments(), queue.site());
        this.cached = new Cached<>(FRESH, this::ask, queue.designDocuments()::building);
    }

    /** {@return the numbers by type, of a moment ago; types without jobs are missing} */
    Map<String, TypeCounts> byType() {
        return cached.get();
    }

    /** {@return how many jobs there are, when no label is asked for} */
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

    private Map<String, TypeCounts> ask() {
        Map<String, Map<JobStatus, Long>> numbers = index.counts();
        List<TypeCounts> complete = Parallel.ask(numbers.entrySet(), entry -> {
            TypeCounts counts = new TypeCounts(entry.getValue(), null);
            return counts.pending() == 0
                    ? counts
                    : new TypeCounts(
                            entry.getValue(),
                            index.oldestPending(entry.getKey()).orElse(null));
        });
        Map<String, TypeCounts> all = new TreeMap<>();
        int i = 0;
        for (String type : numbers.keySet()) {
            all.put(type, complete.get(i++));
        }
        return all;
    }
}
