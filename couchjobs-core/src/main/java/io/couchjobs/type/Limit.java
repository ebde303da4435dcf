package io.couchjobs.type;

/** A limit in the settings of a type: an integer, 0 or more, not set by default. Immutable and thread-safe. */
public enum Limit {
    /** The number of leases of a running job that may expire before the job fails. */
    EXPIRATIONS("maxExpirations"),
    /** The number of jobs that all workers together may own at once; 0 stops claiming. */
    RUNNING("limit"),
    /** The number of jobs of each group that may be owned at once; jobs without a group form one group. */
    RUNNING_PER_GROUP("groupLimit"),
    /** The number of jobs that may be pending before new jobs are refused. */
    QUEUED("maxQueued");

    private final String field;

    Limit(String field) {
        this.field = field;
    }

    /** Returns the name of the field in the settings document. */
    String field() {
        return field;
    }
}
