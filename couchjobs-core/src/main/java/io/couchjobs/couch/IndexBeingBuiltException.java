package io.couchjobs.couch;

import io.couchjobs.couch.config.CouchException;
import java.io.Serializable;

/**
 * Thrown when a view does not answer in time because its index is being built: after many writes, an import, a restore or an
 * upgrade. The server continues to build the index, so the same query succeeds later.
 */
public final class IndexBeingBuiltException extends CouchException {

    private static final long serialVersionUID = 1L;

    private final Progress progress;

    IndexBeingBuiltException(Progress progress, CouchException slow) {
        super(failure(progress, slow), slow);
        this.progress = progress;
    }

    /** {@return the index and its progress} */
    public Progress progress() {
        return progress;
    }

    private static CouchException.Failure failure(Progress progress, CouchException slow) {
        CouchException.Failure.Request request = new CouchException.Failure.Request(
                slow.method(),
                slow.path(),
                slow.requestId().orElse(null),
                slow.retryAfter().orElse(null));
        return new CouchException.Failure(
                slow.status(),
                slow.error(),
                "the server is " + progress.text() + "; it goes on with that, so ask again later",
                request,
                false);
    }

    /**
     * The progress of an index that is being built. Immutable and thread-safe.
     *
     * @param designDoc the design document's name, without {@code _design/}
     * @param database the database's name
     * @param percent how many percent of the changes the index contains, 0 to 100; -1 when the server does not say, for it
     *     tells administrators only
     */
    public record Progress(String designDoc, String database, int percent) implements Serializable {
        private static final long serialVersionUID = 1L;

        /** {@return one line for users, such as {@code building the index lists-1a2b3c4d of couchjobs: 43 %}} */
        public String text() {
            return "building the index " + designDoc + " of " + database + (percent < 0 ? "" : ": " + percent + " %");
        }
    }
}
