package io.couchjobs.embedded.feed;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.Database;

/** Formats and parses the update sequences that clients see: a sequence number and an id of the database. Opaque, as in CouchDB. */
public final class Seqs {
    private static final int MARK = 24;

    private Seqs() {}

    public static String text(Database database, long seq) {
        return seq + "-g1" + database.uuid().substring(0, MARK);
    }

    /** Parses an update sequence. As in CouchDB, a sequence of another database, or of a deleted one, means the beginning. */
    public static long parse(Database database, String text) {
        String since = text.replace("\"", "");
        if (since.equals("now")) {
            return database.committedSeq();
        }
        int dash = since.indexOf('-');
        try {
            long seq = Long.parseLong(dash < 0 ? since : since.substring(0, dash));
            boolean ours = dash < 0 || since.equals(text(database, seq));
            return ours ? Math.max(0, seq) : 0;
        } catch (NumberFormatException e) {
            throw new CouchError(400, "bad_request", "Malformed sequence supplied in 'since' parameter.");
        }
    }
}
