package io.couchjobs.engine.couch;

import java.io.IOException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;

/** Carries requests to servers: over connections, or in tests to servers inside this process. Thread-safe. */
public interface Transport extends AutoCloseable {

    /**
     * Sends one request, once, and waits for the head of its answer. Its body comes as it is read, and closing it ends it.
     *
     * @param request with an absolute address, whose configuration limits the server's silence
     * @param use whose connections it may use up
     * @throws Unanswered no answer came
     */
    ClassicHttpResponse send(HttpUriRequestBase request, Use use) throws Unanswered;

    /** The kinds of requests, of which none takes the connections of another. */
    enum Use {
        /** An answer may take as long as the building of an index. */
        REQUEST,
        /** The answer may never end. */
        FEED,
        /** A lease runs out while it waits. */
        RENEWAL,
        /** Requests of all other kinds may wait for it, and keep their connections when their cookies were refused. */
        LOGIN
    }

    /** Ends the requests under way, and sends no more. */
    @Override
    void close();

    /** There is no answer. */
    final class Unanswered extends Exception {

        private static final long serialVersionUID = 1L;

        private final IOException trouble;
        private final boolean sent;

        /** @param sent whether anything of the request may have reached the server */
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
