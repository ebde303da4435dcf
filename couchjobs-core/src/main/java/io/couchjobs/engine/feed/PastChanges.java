package io.couchjobs.engine.feed;

import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads the changes that a database has now, without waiting for later ones. */
public final class PastChanges {
    private PastChanges() {}

    /** {@return the changes that a request asks for; only some of them when the thread is interrupted, whose flag stays set} */
    public static List<Change> read(CouchDatabase database, ChangesRequest request) {
        List<Change> changes = new ArrayList<>();
        try (ChangesFeed feed = database.changes(request)) {
            while (!feed.isEnded()) {
                feed.next(Duration.ofMinutes(1)).ifPresent(changes::add);
                if (Thread.currentThread().isInterrupted()) {
                    break; // the feed was closed
                }
            }
        }
        return changes;
    }
}
