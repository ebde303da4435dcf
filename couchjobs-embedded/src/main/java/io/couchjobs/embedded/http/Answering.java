package io.couchjobs.embedded.http;

import com.sun.net.httpserver.HttpExchange;
import io.couchjobs.embedded.protocol.CouchError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers an exchange by its route, and turns exceptions into error responses. Thread-safe. */
final class Answering {
    private static final Logger LOG = LoggerFactory.getLogger(Answering.class);
    private static final String CONNECTION = "Connection";
    private static final String CLOSE = "close";

    private final Routes routes;

    Answering(Routes routes) {
        this.routes = routes;
    }

    /** Answers an exchange. If an answer fails halfway, the connection is cut, so that the client notices. */
    void answer(HttpExchange exchange, Call call) throws IOException {
        try {
            exchange.getResponseHeaders().set("Server", ServerHandler.SOFTWARE);
            exchange.getResponseHeaders().set("Cache-Control", "must-revalidate");
            exchange.getResponseHeaders().set("X-Couch-Request-ID", requestId());
            if (isLastOfItsConnection(exchange)) {
                exchange.getResponseHeaders().set(CONNECTION, CLOSE);
            }
            route(exchange, call);
            exchange.close();
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("client of {} went away: {}", exchange.getRequestURI(), e.toString());
            throw new IOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The JDK's server would close the connection without telling the client, and some clients would reuse it. */
    private static boolean isLastOfItsConnection(HttpExchange exchange) {
        String connection = exchange.getRequestHeaders().getFirst(CONNECTION);
        return CLOSE.equalsIgnoreCase(connection);
    }

    private void route(HttpExchange exchange, Call call) throws IOException, InterruptedException {
        try {
            routes.handle(call);
        } catch (CouchError e) {
            if (call.isAnswered()) {
                throw new IOException(e);
            }
            call.answerError(e);
        } catch (UncheckedIOException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            LOG.error("{} {} failed", exchange.getRequestMethod(), exchange.getRequestURI(), e);
            if (call.isAnswered()) {
                throw new IOException(e);
            }
            call.answerError(new CouchError(500, "unknown_error", String.valueOf(e)));
        }
    }

    private static String requestId() {
        byte[] id = new byte[5];
        ThreadLocalRandom.current().nextBytes(id);
        return HexFormat.of().formatHex(id);
    }
}
