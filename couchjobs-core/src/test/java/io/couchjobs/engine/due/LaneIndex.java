package io.couchjobs.engine.due;

import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.index.Spot;
import io.couchjobs.job.Job;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An index by lanes, in memory. It orders ids the other way round than Java does: a server has its own order, too. */
final class LaneIndex {
    private static final Comparator<Spot> ORDER = Comparator.comparing(Spot::group)
            .thenComparingInt(Spot::lane)
            .thenComparingLong(Spot::time)
            .thenComparingInt(spot -> spot.docId().isEmpty() ? 0 : 1)
            .thenComparing(Comparator.comparing(Spot::docId).reversed());

    final Map<String, Job> jobs = new HashMap<>();
    private final Spot.Order order;
    int reads;

    LaneIndex(Spot.Order order) {
        this.order = order;
    }

    void put(Job job) {
        jobs.put(job.id().docId(), job);
    }

    JobIndex.Page page(String type, Spot from, int limit) {
        reads++;
        List<Job> rows = jobs.values().stream()
                .filter(job -> job.type().equals(type) && job.isClaimable())
                .filter(job -> ORDER.compare(order.of(job), from) >= 0)
                .sorted(Comparator.comparing(order::of, ORDER))
                .limit(limit)
                .toList();
        return new JobIndex.Page(rows, rows.stream().map(order::of).toList(), rows.size() < limit);
    }
}
