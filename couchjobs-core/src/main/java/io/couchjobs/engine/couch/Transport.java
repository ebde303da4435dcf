package io.couchjobs.engine.couch;

import java.io.IOException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;

/** Carries requests to servers: over connections, or in tests to servers inside this process. Thread-safe. */
public interface Transport extends AutoCloseable {

    /**
     * Sends one request, once, and waits for the head of its answer.
     *
     * @param request with an absolute address, and in its configuration how long the server may be silent
     * @param forFeed whether the answer may take for ever, so that it must not use up what other requests need
     * @return the answer; its body comes as it is read, and closing it ends it
     * @throws Unanswered no answer came
     */
    ClassicHttpResponse send(HttpUriRequestBase request, boolean forFeed) throws Unanswered;

    /** Ends what is on its way, and sends nothing more. */
    @Override
    void close();

    /** There is no answer. */
    final class Unanswered extends Exception {

        private static final long serialVersionUID = 1L;

        private final IOException trouble;
        private final boolean sent;

        /**
         * Tells why.
         *
         * @param trouble what broke
         * @param sent whether anything of the request may have reached the server
         */
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
