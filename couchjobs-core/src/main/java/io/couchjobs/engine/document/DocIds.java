package io.couchjobs.engine.document;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The prefixes of the ids of a queue's documents. Each prefix names a kind of document. */
public final class DocIds {
    /** A job: {@code job:TYPE:ID}. */
    public static final String JOB = "job:";

    /** The settings of a type: {@code type:TYPE}. */
    public static final String TYPE = "type:";

    /** A schedule: {@code schedule:NAME}. */
    public static final String SCHEDULE = "schedule:";

    /** A trigger: {@code trigger:NAME}. */
    public static final String TRIGGER = "trigger:";

    /** The progress of a trigger in a database: {@code follow:NAME:DATABASE}. */
    public static final String FOLLOW = "follow:";

    /** A scope: {@code scope:TYPE@PARTITION}. */
    public static final String SCOPE = "scope:";

    /** A slot of a limit: {@code slot:TYPE:PLACE}. */
    public static final String SLOT = "slot:";

    /** The windows of a rate: {@code rate:TYPE}. */
    public static final String RATE = "rate:";

    /** The registration of a worker: {@code worker:ID}. */
    public static final String WORKER = "worker:";

    /** A chunk of a job's log: {@code log:TYPE:ID:FENCE:NUMBER}. */
    public static final String LOG = "log:";

    /** The state of garbage collection: {@code gc:NAME}. */
    public static final String GC = "gc:";

    /** The history: {@code stats:DAY}, {@code stats:DAYTHOUR} and {@code stats:worker:ID}. */
    public static final String STATS = "stats:";

    /** The raised alarms of one set of rules: {@code stats:alarm:NAME}. */
    public static final String ALARM = STATS + "alarm:";

    /** The document that names this database among several that replicate to each other. */
    public static final String SITE = "_local/couchjobs-site";

    private static final List<String> BESIDE_JOBS =
            List.of(TYPE, SCHEDULE, TRIGGER, FOLLOW, SCOPE, SLOT, RATE, WORKER, GC, LOG, STATS);

    private DocIds() {}

    /**
     * Returns whether a document is one that couchjobs keeps beside its jobs. Other documents in the same database are left
     * alone.
     */
    public static boolean isBesideJobs(String docId) {
        return BESIDE_JOBS.stream().anyMatch(docId::startsWith);
    }

    /**
     * {@return the id that comes after all ids with this prefix, in any script: the character after the colon replaces the
     * colon}
     */
    public static String after(String prefix) {
        return prefix.substring(0, prefix.length() - 1) + ";";
    }

    /** {@return the first prefix of documents beside jobs that comes after an id; empty when none does} */
    public static Optional<String> prefixAfter(String docId) {
        return BESIDE_JOBS.stream()
                .filter(prefix -> prefix.compareTo(docId) > 0)
                .min(Comparator.naturalOrder());
    }
}
