package io.couchjobs.engine.document;

import java.util.Comparator;

/** Reads revisions of documents, such as {@code 3-917fa2381192822767f010b95b45325b}. Stateless. */
public final class Rev {
    /** CouchDB's own order: if neither of two leaves is deleted, readers see the greater one. */
    public static final Comparator<String> ORDER =
            Comparator.comparingLong(Rev::generation).thenComparing(Comparator.naturalOrder());

    private static final int MOST_DIGITS = 9;

    private Rev() {}

    /**
     * Returns the number of a revision: how many writes its branch of the document has seen. Returns 0 for a text that is
     * no revision.
     */
    public static long generation(String rev) {
        int digits = rev.indexOf('-');
        try {
            return digits < 1 || digits > MOST_DIGITS ? 0 : Long.parseLong(rev.substring(0, digits));
        } catch (NumberFormatException notARevision) {
            return 0;
        }
    }
}
