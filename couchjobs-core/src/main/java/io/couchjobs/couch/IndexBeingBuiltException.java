package io.couchjobs.couch;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.Failure;

/**
 * A view was not answered in time, because its index is being built: after many writes, an import, a restore or an upgrade. The
 * server goes on building, so the same question is answered later.
 */
public final class IndexBeingBuiltException extends CouchException {

    private static final long serialVersionUID = 1L;

    private final IndexProgress progress;

    IndexBeingBuiltException(IndexProgress progress, CouchException slow) {
        super(failure(progress, slow), slow);
        this.progress = progress;
    }

    /** {@return which index it is, and how far it was} */
    public IndexProgress progress() {
        return progress;
    }

    private static Failure failure(IndexProgress progress, CouchException slow) {
        Failure.Request request = new Failure.Request(
                slow.method(),
                slow.path(),
                slow.requestId().orElse(null),
                slow.retryAfter().orElse(null));
        return new Failure(
                slow.status(),
                slow.error(),
                "the server is " + progress.text() + "; it goes on with that, so ask again later",
                request,
                false);
    }
}
