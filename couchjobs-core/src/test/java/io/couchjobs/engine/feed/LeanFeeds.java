package io.couchjobs.engine.feed;

import io.couchjobs.engine.store.JobStore;

/** Feeds that bring no documents but those that somebody needs, as under a load that never ends. */
public final class LeanFeeds {
    private LeanFeeds() {}

    /** One that never changes to documents. */
    public static Feed always(JobStore store) {
        return new Feed(store.database(), Feed.Timing.DEFAULT, store.ownWrites(), FeedPace.fixed(true));
    }

    /** One that takes very little for much, and so changes often. */
    public static Feed nervous(JobStore store) {
        FeedPace pace = new FeedPace(new FeedPace.Limits(3, 2, 20_000_000), System.nanoTime());
        return new Feed(store.database(), Feed.Timing.DEFAULT, store.ownWrites(), pace);
    }
}
