package io.couchjobs.type;

/** A limit in the settings of a type: a whole number from 0, not set by default. Immutable and thread-safe. */
public enum Limit {
    /** How many leases of a job may run out while it runs before it is failed. */
    EXPIRATIONS("maxExpirations"),
    /** How many jobs may be owned at once, by all workers together; 0 stops claiming. */
    RUNNING("limit"),
    /** How many jobs of each group may be owned at once; jobs without a group are one group. */
    RUNNING_PER_GROUP("groupLimit"),
    /** How many jobs may be pending before new ones are refused. */
    QUEUED("maxQueued");

    private final String field;

    Limit(String field) {
        this.field = field;
    }

    /** The field of the settings document. */
    String field() {
        return field;
    }
}
