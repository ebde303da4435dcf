package io.couchjobs.engine.due;

import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.job.Job;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An index by lanes, in memory. It orders ids the other way round than Java does: a server has its own order, too. */
final class LaneIndex {
    private static final Comparator<LaneKey> ORDER = Comparator.comparing(LaneKey::group)
            .thenComparingInt(LaneKey::lane)
            .thenComparingLong(LaneKey::time)
            .thenComparingInt(spot -> spot.docId().isEmpty() ? 0 : 1)
            .thenComparing(Comparator.comparing(LaneKey::docId).reversed());

    final Map<String, Job> jobs = new HashMap<>();
    private final LaneKey.Order order;
    int reads;

    LaneIndex(LaneKey.Order order) {
        this.order = order;
    }

    void put(Job job) {
        jobs.put(job.id().docId(), job);
    }

    JobIndex.Page page(String type, LaneKey from, int limit) {
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
