package io.couchjobs.engine.due;

import io.couchjobs.engine.index.Spot;
import io.couchjobs.job.Job;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Due jobs that are all known, so that no index has to be read. Not thread-safe. */
final class KnownPool implements Pool {
    private final NavigableMap<Spot, Job> jobs = new TreeMap<>();

    KnownPool(Collection<Job> due, Spot.Order order) {
        due.forEach(job -> jobs.put(order.of(job), job));
    }

    @Override
    public Found first(Spot from, Spot before, Instant until, Predicate<Job> skipped) {
        return several(from, before, until, skipped, 1).stream()
                .findFirst()
                .map(Found::job)
                .orElse(Found.NONE);
    }

    @Override
    public List<Job> several(Spot from, Spot before, Instant until, Predicate<Job> skipped, int most) {
        return jobs.subMap(from, before).values().stream()
                .filter(skipped.negate())
                .limit(most)
                .toList();
    }
}
