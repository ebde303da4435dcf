package io.couchjobs.couch;

/** The result of writing one document. */
public sealed interface WriteResult {

    /** {@return the document's id} */
    String id();

    /** {@return whether the server failed on this document: it may have stored the document, and a retry may succeed} */
    default boolean isFailure() {
        return false;
    }

    /**
     * The document was stored by a quorum of the copies (201, or 200 for a deletion).
     *
     * @param id the document's id
     * @param rev its new revision
     */
    record Stored(String id, String rev) implements WriteResult {}

    /**
     * The document was stored by at least one copy, but by no quorum (202, or a bulk row with {@code "accepted": true}). The
     * revision may win or lose a conflict, or vanish. Callers must not rely on it.
     *
     * @param id the document's id
     * @param rev the revision that was stored somewhere
     */
    record Accepted(String id, String rev) implements WriteResult {}

    /**
     * The document was changed meanwhile, or exists already (409). Nothing was stored.
     *
     * @param id the document's id
     */
    record Conflict(String id) implements WriteResult {}

    /**
     * The server refused this document, or failed on it.
     *
     * @param id the document's id
     * @param status 403 or 401 when a validation function refused the document, 400, 412 or 413, or 500 and above when the
     *     server failed on the document. Only in the last case may the document have been stored
     * @param error the server's error code, such as {@code forbidden}
     * @param reason the server's explanation
     */
    record Refused(String id, int status, String error, String reason) implements WriteResult {
        @Override
        public boolean isFailure() {
            return status >= 500;
        }
    }
}
