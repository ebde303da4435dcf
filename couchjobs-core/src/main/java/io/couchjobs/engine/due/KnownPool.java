package io.couchjobs.engine.due;

import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.job.Job;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Due jobs that are all known, so no index has to be read. Not thread-safe. */
final class KnownPool implements Pool {
    private final NavigableMap<LaneKey, Job> jobs = new TreeMap<>();

    KnownPool(Collection<Job> due, LaneKey.Order order) {
        due.forEach(job -> jobs.put(order.of(job), job));
    }

    @Override
    public Found first(LaneKey from, LaneKey before, Instant until, Predicate<Job> skipped) {
        return several(from, before, until, skipped, 1).stream()
                .findFirst()
                .map(Found::job)
                .orElse(Found.NONE);
    }

    @Override
    public List<Job> several(LaneKey from, LaneKey before, Instant until, Predicate<Job> skipped, int most) {
        return jobs.subMap(from, before).values().stream()
                .filter(skipped.negate())
                .limit(most)
                .toList();
    }
}
