package io.couchjobs.couch;

/** The result of writing one document. */
public sealed interface WriteResult {

    /** {@return the document's id} */
    String id();

    /** {@return whether the server failed on this document: it may have stored it, and may store it the next time} */
    default boolean isFailure() {
        return false;
    }

    /**
     * 201 (200 for a deletion): a quorum of the copies has it.
     *
     * @param id the document's id
     * @param rev its new revision
     */
    record Stored(String id, String rev) implements WriteResult {}

    /**
     * 202, or a bulk row with {@code "accepted": true}: some copy has it, but no quorum. It may win, lose or vanish
     * among conflicts; nothing should be built on it.
     *
     * @param id the document's id
     * @param rev the revision that was stored somewhere
     */
    record Accepted(String id, String rev) implements WriteResult {}

    /**
     * 409: the document has moved on (or exists already); nothing was stored.
     *
     * @param id the document's id
     */
    record Conflict(String id) implements WriteResult {}

    /**
     * The server would not take this document.
     *
     * @param id the document's id
     * @param status 403 or 401 (a validation function said no), 400, 413, or 500 and above when the server failed on
     *     this document; only in the last case may it have been stored nevertheless
     * @param error the server's word for it, such as {@code forbidden}
     * @param reason the server's explanation
     */
    record Refused(String id, int status, String error, String reason) implements WriteResult {
        @Override
        public boolean isFailure() {
            return status >= 500;
        }
    }
}
