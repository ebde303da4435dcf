package io.couchjobs.engine.document;

/** How the ids of a queue's documents begin: each prefix names a kind of document. */
public final class DocIds {
    /** A job: {@code job:TYPE:ID}. */
    public static final String JOB = "job:";

    /** The settings of a type: {@code type:TYPE}. */
    public static final String TYPE = "type:";

    /** A schedule: {@code schedule:NAME}. */
    public static final String SCHEDULE = "schedule:";

    /** A scope: {@code scope:TYPE@PARTITION}. */
    public static final String SCOPE = "scope:";

    /** A slot of a limit: {@code slot:TYPE:PLACE}. */
    public static final String SLOT = "slot:";

    /** The windows of a rate: {@code rate:TYPE}. */
    public static final String RATE = "rate:";

    /** The registration of a worker: {@code worker:ID}. */
    public static final String WORKER = "worker:";

    /** A part of a job's log: {@code log:TYPE:ID:FENCE:NUMBER}. */
    public static final String LOG = "log:";

    /** The memory of garbage collection: {@code gc:NAME}. */
    public static final String GC = "gc:";

    private DocIds() {}
}
