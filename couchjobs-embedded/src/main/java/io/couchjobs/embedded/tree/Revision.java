package io.couchjobs.embedded.tree;

import io.couchjobs.embedded.protocol.CouchError;
import java.util.Comparator;

/** The id of a revision of a document, {@code N-hash}. Ordered by generation, then by hash. */
public record Revision(int pos, String hash) implements Comparable<Revision> {
    private static final Comparator<Revision> ORDER =
            Comparator.comparingInt(Revision::pos).thenComparing(Revision::hash);

    /** Parses {@code N-hash}; the hash may be empty, as in CouchDB. Throws a bad-request error for any other text. */
    public static Revision parse(String text) {
        int dash = text.indexOf('-');
        if (dash < 1) {
            throw CouchError.badRequest("Invalid rev format");
        }
        try {
            return new Revision(Integer.parseInt(text.substring(0, dash)), text.substring(dash + 1));
        } catch (NumberFormatException e) {
            throw CouchError.badRequest("Invalid rev format");
        }
    }

    @Override
    public int compareTo(Revision other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return pos + "-" + hash;
    }
}
