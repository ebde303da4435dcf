package io.couchjobs.store;

import io.couchjobs.couch.DatabaseInfo;

/**
 * Tells a database from the former one of its name, by the second in which it was made. One that is made anew within the same
 * second stays undetected by this, and so does each one on servers that do not tell it. Thread-safe; one thread remembers.
 */
final class Birth {
    private volatile long known;

    /** Whether the database is not the one that was seen last. */
    boolean isOther(DatabaseInfo now) {
        return known != 0 && now.created() != 0 && now.created() != known;
    }

    /** As {@link #isOther}; from now on it is the one that was seen last. */
    boolean becomesOther(DatabaseInfo now) {
        boolean other = isOther(now);
        if (now.created() != 0) {
            known = now.created();
        }
        return other;
    }
}
