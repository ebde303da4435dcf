package io.couchjobs.couch;

/** Reads revisions of documents, such as {@code 3-917fa2381192822767f010b95b45325b}. Stateless. */
public final class Rev {
    private Rev() {}

    /**
     * The number of a revision: how many writes its branch of the document has seen.
     *
     * @param rev the revision
     * @return its number, such as 3; 0 for a text that is no revision
     */
    public static long generation(String rev) {
        int dash = rev.indexOf('-');
        try {
            return dash < 0 ? 0 : Long.parseLong(rev.substring(0, dash));
        } catch (NumberFormatException notARevision) {
            return 0;
        }
    }
}
