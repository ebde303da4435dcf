package io.couchjobs.engine.feed;

import io.couchjobs.engine.store.JobStore;
import java.time.Duration;
import java.util.List;

/** Feeds that bring no documents but those that somebody needs, as under a load that never ends. */
public final class LeanFeeds {
    private LeanFeeds() {}

    /** One that never changes to documents. */
    public static Feed always(JobStore store, FeedListener... always) {
        return new Feed(
                store.database(),
                FeedTiming.DEFAULT,
                store.writer().ownWrites(),
                FeedPace.fixed(true),
                List.of(always));
    }

    /** One that skips whatever no listener needs, from its first row on. */
    public static Feed skipping(JobStore store, FeedListener... always) {
        FeedPace pace =
                new FeedPace(new FeedPace.Limits(1, 0, Duration.ofHours(1).toNanos()), System.nanoTime());
        return new Feed(store.database(), FeedTiming.DEFAULT, store.writer().ownWrites(), pace, List.of(always));
    }

    /** One that takes very little for much, and so changes often. */
    public static Feed nervous(JobStore store, FeedListener... always) {
        FeedPace pace = new FeedPace(new FeedPace.Limits(3, 2, 20_000_000), System.nanoTime());
        return new Feed(store.database(), FeedTiming.DEFAULT, store.writer().ownWrites(), pace, List.of(always));
    }
}
