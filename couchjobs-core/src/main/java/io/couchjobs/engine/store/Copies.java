package io.couchjobs.engine.store;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.DatabaseInfo;

/**
 * The number of copies that a cluster keeps of each document. The server is asked once, when the number is needed for the
 * first time. Thread-safe.
 *
 * <p>With one copy, a read shows the stored state. With several copies, a write may be stored on some of them only, and a
 * read does not show which of two claims a quorum confirmed.
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
     * @throws io.couchjobs.couch.config.CouchException if the request to the server fails; not thrown once the answer is known
     */
    public boolean areSeveral() {
        return number() > 1;
    }

    /**
     * {@return how many copies of each document the nodes keep}
     *
     * @throws io.couchjobs.couch.config.CouchException if the request to the server fails; not thrown once the answer is known
     */
    public int number() {
        if (known == 0) {
            ask();
        }
        return known;
    }

    /** {@return whether there may be more than one copy, without I/O; true while the number is not known} */
    public boolean mayBeSeveral() {
        return known != 1;
    }

    /**
     * {@return the number of shards; each shard has its own copies}
     *
     * @throws io.couchjobs.couch.config.CouchException if the request to the server fails; not thrown once the answer is known
     */
    int shards() {
        if (known == 0) {
            ask();
        }
        return shards;
    }

    /** {@return whether the database was recreated since the number of copies was read} */
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
