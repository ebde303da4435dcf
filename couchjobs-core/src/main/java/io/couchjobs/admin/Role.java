package io.couchjobs.admin;

/** The role of a user of a queue. A user may have several roles, and without one may only read. Roles hold for the whole server. */
public enum Role {
    /** Creates jobs, changes, cancels and removes those that nobody owns, and asks owners to stop. */
    PRODUCER("couchjobs-producer"),
    /** Claims jobs and runs them, takes jobs back from dead owners, and makes the jobs of schedules. */
    WORKER("couchjobs-worker"),
    /** Does everything, settings of types and schedules included, and administrates the database. */
    ADMIN("couchjobs-admin");

    private final String inCouchDb;

    Role(String inCouchDb) {
        this.inCouchDb = inCouchDb;
    }

    /** {@return the role's name in CouchDB, such as {@code couchjobs-worker}} */
    public String inCouchDb() {
        return inCouchDb;
    }
}
