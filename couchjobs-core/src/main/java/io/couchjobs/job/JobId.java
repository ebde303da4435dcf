package io.couchjobs.job;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Names;
import io.couchjobs.engine.document.RandomIds;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The identity of a job: its type and its id within the type. Immutable and thread-safe.
 *
 * <p>The document id {@code job:TYPE:ID} consists of both, so each pair is unique in a database.
 *
 * @param type the type, such as {@code "email"}: 1 to 128 characters, no colon, no control characters
 * @param id the id within the type: 1 to 512 characters, no control characters
 */
public record JobId(String type, String id) implements Comparable<JobId> {
    private static final Pattern RANDOM =
            Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
    private static final RandomIds RANDOM_IDS = new RandomIds();

    /**
     * Checks both parts.
     *
     * @param type the type
     * @param id the id
     * @throws IllegalArgumentException when the type or the id is invalid; the message names the field and the value
     */
    public JobId {
        checkType(type);
        Names.check("id", id, Names.LONGEST_ID);
    }

    /**
     * Creates a job id with a random UUID as its id. Up to 256 ids that a process creates in sequence share a prefix and are in
     * order, because neighbouring documents are cheaper to write. No other process creates the same id.
     *
     * @param type the type
     * @return the new id
     */
    public static JobId random(String type) {
        return new JobId(type, RANDOM_IDS.next().toString());
    }

    /**
     * Returns whether the id has the form of {@link #random} ids, which no other creator creates.
     *
     * @return whether it is a random UUID (RFC 9562, version 4) in lower case
     */
    public boolean isRandom() {
        return RANDOM.matcher(id).matches();
    }

    /**
     * Parses the identity from a document id.
     *
     * @param docId the {@code _id} of a document
     * @return the identity, or empty when the document is not a job's
     */
    public static Optional<JobId> fromDocId(String docId) {
        int colon = docId.indexOf(':', DocIds.JOB.length());
        if (!docId.startsWith(DocIds.JOB) || colon < 0) {
            return Optional.empty();
        }
        try {
            return Optional.of(new JobId(docId.substring(DocIds.JOB.length(), colon), docId.substring(colon + 1)));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    /**
     * Checks a type name.
     *
     * @param type the name
     * @return the name
     * @throws IllegalArgumentException when the name is invalid
     */
    public static String checkType(String type) {
        return Names.checkWithoutColon("type", type, Names.LONGEST_TYPE);
    }

    /** {@return the {@code _id} of the job's document} */
    public String docId() {
        return DocIds.JOB + type + ":" + id;
    }

    @Override
    public int compareTo(JobId other) {
        return docId().compareTo(other.docId());
    }

    @Override
    public String toString() {
        return type + ":" + id;
    }
}
