package io.couchjobs.engine.feed;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.store.OwnWrites;
import java.util.List;

/** Feeds of a process that writes no jobs. */
public final class Feeds {
    private Feeds() {}

    /** {@return the feed of a database, with listeners that hear of changes whenever it runs} */
    public static Feed of(CouchDatabase database, FeedListener... always) {
        return of(database, FeedTiming.DEFAULT, always);
    }

    static Feed of(CouchDatabase database, FeedTiming timing, FeedListener... always) {
        FeedPace pace = new FeedPace(
                FeedPace.DEFAULT, ServerAccess.environment(database.server()).nanos());
        return new Feed(database, timing, new OwnWrites(), pace, List.of(always));
    }
}
