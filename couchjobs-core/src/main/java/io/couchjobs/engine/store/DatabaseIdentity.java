package io.couchjobs.engine.store;

import io.couchjobs.couch.DatabaseInfo;

/**
 * Detects that a database was deleted and recreated, by its time of creation in seconds. Does not detect this if both
 * databases were created in the same second, or the server does not say when. Thread-safe; only one thread may call {@link
 * #becomesOther}.
 */
public final class DatabaseIdentity {
    private volatile long created;

    /** {@return whether this database differs from the remembered one} */
    public boolean isOther(DatabaseInfo now) {
        return created != 0 && now.created() != 0 && now.created() != created;
    }

    /** {@return whether this database differs from the remembered one} Remembers this database. */
    public boolean becomesOther(DatabaseInfo now) {
        boolean other = isOther(now);
        if (now.created() != 0) {
            created = now.created();
        }
        return other;
    }
}
