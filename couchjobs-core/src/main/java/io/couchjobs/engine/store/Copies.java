package io.couchjobs.engine.store;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.DatabaseInfo;

/**
 * Whether the nodes of a cluster keep several copies of each document. It is asked once, when it matters for the first time:
 * an answer was lost, or no quorum confirmed a write. Thread-safe.
 *
 * <p>With one copy, a reading shows the stored state. With several, a write may be stored here and not there, and a
 * reading does not tell which of two claims a quorum confirmed.
 */
public final class Copies {
    private final CouchDatabase database;
    private final DatabaseIdentity identity = new DatabaseIdentity();
    private volatile int known;
    private volatile int shards;

    public Copies(CouchDatabase database) {
        this.database = database;
    }

    /**
     * {@return whether there is more than one copy}
     *
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be asked, and was not before
     */
    public boolean areSeveral() {
        return number() > 1;
    }

    /**
     * {@return how many copies of each document the nodes keep}
     *
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be asked, and was not before
     */
    public int number() {
        if (known == 0) {
            ask();
        }
        return known;
    }

    /** {@return whether there may be more than one copy; true while the database was not asked} */
    public boolean mayBeSeveral() {
        return known != 1;
    }

    /**
     * {@return into how many parts the documents are divided; each part has copies of its own}
     *
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be asked, and was not before
     */
    int shards() {
        if (known == 0) {
            ask();
        }
        return shards;
    }

    /** {@return whether the database is another one than the one that was asked} */
    boolean isMadeAnew() {
        return identity.isOther(database.info());
    }

    private void ask() {
        DatabaseInfo info = database.info();
        identity.becomesOther(info);
        shards = info.shards();
        known = Math.max(1, info.copies());
    }
}
