package io.couchjobs.engine.due.share;

import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.Map;

/** Remembers when this process first saw a job to be claimed. Not thread-safe; keeps the last few thousand. */
final class FirstSeen {
    private static final int MOST = 20_000;

    private final Map<String, Sight> sights = RecentMap.byAge(MOST);

    /** How long ago a job was first asked about here, in the revision that it has. */
    Duration age(Job job, long nanos) {
        String rev = job.rev().orElse("");
        Sight first = sights.compute(
                job.id().docId(),
                (id, known) -> known != null && known.rev().equals(rev) ? known : new Sight(rev, nanos));
        return Duration.ofNanos(nanos - first.nanos());
    }

    private record Sight(String rev, long nanos) {}
}
