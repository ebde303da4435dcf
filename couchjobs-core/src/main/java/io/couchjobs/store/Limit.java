package io.couchjobs.store;

/** What the settings of a type may limit; each a whole number from 0, not set by default. Immutable and thread-safe. */
public enum Limit {
    /** How many leases of a job may run out while it runs before it is failed. */
    EXPIRATIONS("maxExpirations");

    private final String field;

    Limit(String field) {
        this.field = field;
    }

    /** The field of the settings document. */
    String field() {
        return field;
    }
}
