package io.couchjobs.job;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;

/**
 * The database's own rules refuse a document, for example a {@code validate_doc_update} function, and nothing was written. Or the server
 * failed on the document each time ({@link #status} is 500 or more): then it may have been written.
 */
public final class WriteRefusedException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /** The prefix of the refusals of design-docs/guard. */
    private static final String GUARD = "couchjobs: ";

    private static final int TOO_LARGE = 413;

    private final int status;
    private final boolean isForWantOfRole;

    /**
     * Repeats the server's answer.
     *
     * @param refused its answer
     */
    public WriteRefusedException(WriteResult.Refused refused) {
        super("CouchDB refused to store " + refused.id() + ": " + refused.error() + ", " + refused.reason()
                + advice(refused));
        this.status = refused.status();
        this.isForWantOfRole = isForWantOfRole(refused);
    }

    private static String advice(WriteResult.Refused refused) {
        if (isForWantOfRole(refused)) {
            return " (an administrator of the server gives roles: couchjobs init --create-user ROLE:NAME)";
        }
        if (refused.isFailure()) {
            return " (the server failed on this document each time; it may have stored it)";
        }
        return refused.status() == TOO_LARGE
                ? ": make it smaller, or let its data be attached, which does not count (largestInlineData, see"
                        + " docs/operations.md, Large data)"
                : "";
    }

    /** {@return whether the document is too large for the server; nothing else is wrong with it or with its writer} */
    public boolean isTooLarge() {
        return status == TOO_LARGE;
    }

    /**
     * {@return the server's answer, when that is no refusal}
     *
     * @param written the answer
     * @throws WriteRefusedException when it is one
     */
    public static WriteResult check(WriteResult written) {
        if (written instanceof WriteResult.Refused refused) {
            throw new WriteRefusedException(refused);
        }
        return written;
    }

    /**
     * Whether a database with a guard refused a document for its writer, not for its content.
     *
     * @param refused the database's answer
     * @return true when the same write by a user with another role would be stored
     */
    public static boolean isForWantOfRole(WriteResult.Refused refused) {
        return refused.reason().startsWith(GUARD) && refused.reason().contains(" role");
    }

    /** {@return whether a database with a guard refused the document for its writer: a user with another role may write it} */
    public boolean isForWantOfRole() {
        return isForWantOfRole;
    }

    /** {@return the HTTP status that stands for the refusal, such as 403} */
    public int status() {
        return status;
    }
}
