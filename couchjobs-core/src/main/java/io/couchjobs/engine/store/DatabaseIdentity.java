package io.couchjobs.engine.store;

import io.couchjobs.couch.DatabaseInfo;

/**
 * Tells whether a database was deleted and recreated, by the second of its creation. It cannot tell when both were made
 * within the same second, or when the server does not say when a database was made. Thread-safe; one thread remembers.
 */
public final class DatabaseIdentity {
    private volatile long created;

    /** {@return whether this is another database than the one that was remembered} */
    public boolean isOther(DatabaseInfo now) {
        return created != 0 && now.created() != 0 && now.created() != created;
    }

    /** {@return as {@link #isOther}; remembers this database from now on} */
    public boolean becomesOther(DatabaseInfo now) {
        boolean other = isOther(now);
        if (now.created() != 0) {
            created = now.created();
        }
        return other;
    }
}
