package io.couchjobs.scope;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Names;
import io.couchjobs.job.JobId;
import java.util.Optional;

/**
 * One partition of a type of work, which is handled by a service. Immutable and thread-safe.
 *
 * <p>The jobs of a scope have their own job type {@code TYPE@PARTITION}. So everything a queue does by type, such as settings,
 * pausing, counts and lists, also works for a scope. Both parts can be parsed from the job type, because a scope's type has no
 * {@code @}.
 *
 * @param type the type of work: no colon, no {@code @}, no control characters
 * @param partition the partition: no colon, no control characters; type and partition have at most 127 characters together
 */
public record Scope(String type, String partition) {
    private static final char BETWEEN = '@';
    private static final int LONGEST = Names.LONGEST_TYPE - 1;

    /**
     * Checks both parts.
     *
     * @param type the type
     * @param partition the partition
     * @throws IllegalArgumentException when a part is invalid; the message names the value
     */
    public Scope {
        if (type.indexOf(BETWEEN) >= 0) {
            throw new IllegalArgumentException("the type of a scope must not contain @: \"" + type + "\"");
        }
        Names.checkWithoutColon("type", type, LONGEST - 1);
        Names.checkWithoutColon("partition", partition, LONGEST - 1);
        if (type.length() + partition.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "type and partition are together longer than " + LONGEST + " characters ("
                            + (type.length() + partition.length()) + "): \"" + type + BETWEEN + partition + "\"");
        }
    }

    /**
     * Returns a scope with a numbered partition.
     *
     * @param type the type of work
     * @param partition the partition's number
     * @return the scope
     */
    public static Scope of(String type, long partition) {
        return new Scope(type, Long.toString(partition));
    }

    /**
     * Returns a scope with a named partition.
     *
     * @param type the type of work
     * @param partition the partition's name
     * @return the scope
     */
    public static Scope of(String type, String partition) {
        return new Scope(type, partition);
    }

    /**
     * Parses a scope from the type of its jobs.
     *
     * @param jobType the type of a job
     * @return the scope; empty when the type is not that of a scope's jobs
     */
    public static Optional<Scope> ofJobType(String jobType) {
        int at = jobType.indexOf(BETWEEN);
        try {
            return at < 0
                    ? Optional.empty()
                    : Optional.of(new Scope(jobType.substring(0, at), jobType.substring(at + 1)));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    /**
     * {@return the scope of a document; empty when the document does not belong to a scope}
     *
     * @param docId the id of the document
     */
    public static Optional<Scope> ofDocId(String docId) {
        return docId.startsWith(DocIds.SCOPE) ? ofJobType(docId.substring(DocIds.SCOPE.length())) : Optional.empty();
    }

    /**
     * {@return the prefix of the document ids of all scopes of a type}
     *
     * @param type the type
     */
    public static String prefix(String type) {
        return DocIds.SCOPE + type + BETWEEN;
    }

    /** {@return the type of the scope's jobs, {@code TYPE@PARTITION}} */
    public String jobType() {
        return type + BETWEEN + partition;
    }

    /**
     * Returns the identity of a job of this scope.
     *
     * @param id the job's id
     * @return the identity of the job in the queue
     */
    public JobId job(String id) {
        return new JobId(jobType(), id);
    }

    /** {@return the id of the scope's document} */
    public String docId() {
        return DocIds.SCOPE + jobType();
    }

    @Override
    public String toString() {
        return jobType();
    }
}
