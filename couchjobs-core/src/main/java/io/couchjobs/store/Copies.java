package io.couchjobs.store;

import io.couchjobs.couch.CouchDatabase;

/**
 * Whether the nodes of a cluster keep several copies of each document. It is asked once, when it matters for the first time:
 * an answer was lost, or no quorum confirmed a write. Thread-safe.
 *
 * <p>With one copy, what is read is what is. With several, a write may be stored here and not there, and reading does not tell
 * which of two claims a quorum confirmed.
 */
final class Copies {
    private final CouchDatabase database;
    private volatile int known;

    Copies(CouchDatabase database) {
        this.database = database;
    }

    /**
     * {@return whether there is more than one copy}
     *
     * @throws io.couchjobs.couch.CouchException when the database cannot be asked, and was not before
     */
    boolean areSeveral() {
        int copies = known;
        if (copies == 0) {
            copies = Math.max(1, database.info().copies());
            known = copies;
        }
        return copies > 1;
    }
}
