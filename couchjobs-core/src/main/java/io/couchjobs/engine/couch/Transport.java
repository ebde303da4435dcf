package io.couchjobs.engine.couch;

import java.io.IOException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;

/** Sends requests to servers, over connections, or in tests to servers inside this process. Thread-safe. */
public interface Transport extends AutoCloseable {

    /**
     * Sends a request once, and waits for the head of its answer. The body is streamed while the caller reads it; closing the
     * answer ends the body.
     *
     * @param request a request with an absolute URL, whose configuration limits the server's silence
     * @param use the kind of request, which determines the connection pool
     * @throws Unanswered if no answer came
     */
    ClassicHttpResponse send(HttpUriRequestBase request, Use use) throws Unanswered;

    /** The kinds of requests. Each kind has its own connections. */
    enum Use {
        /** An ordinary request; its answer may take as long as the building of an index. */
        REQUEST,
        /** A feed; its answer may never end. */
        FEED,
        /** The renewal of a lease, which expires while the request waits. */
        RENEWAL,
        /** A login. Requests of all other kinds may wait for it while they hold their own connections. */
        LOGIN
    }

    /** Ends the requests in flight, and sends no more requests. */
    @Override
    void close();

    /** Thrown when no answer came. */
    final class Unanswered extends Exception {

        private static final long serialVersionUID = 1L;

        private final IOException trouble;
        private final boolean sent;

        /** @param sent whether any part of the request may have reached the server */
        public Unanswered(IOException trouble, boolean sent) {
            super(trouble);
            this.trouble = trouble;
            this.sent = sent;
        }

        IOException trouble() {
            return trouble;
        }

        boolean wasSent() {
            return sent;
        }
    }
}
