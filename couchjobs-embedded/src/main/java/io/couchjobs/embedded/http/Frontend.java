package io.couchjobs.embedded.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.CouchStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listening server: a thread per request under way, a feed included. */
public final class Frontend implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Frontend.class);
    private static final int BACKLOG = 1024;

    static {
        preset("sun.net.httpserver.nodelay", "true");
        preset("sun.net.httpserver.maxIdleConnections", "10000");
        preset("sun.net.httpserver.idleInterval", "3600");
    }

    private final HttpServer server;
    private final ExecutorService threads;
    private final Router router;
    private final Interceptor interceptor;

    private Frontend(HttpServer server, Router router, Interceptor interceptor) {
        this.server = server;
        this.router = router;
        this.interceptor = interceptor;
        this.threads = threads();
    }

    /** The JDK's server reads its settings once; without these it delays small answers and drops idle clients. */
    private static void preset(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /** Starts listening on the loopback interface; port 0 takes a free one. */
    public static Frontend start(int port, CouchStore store, Accounts accounts, Interceptor interceptor)
            throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        Frontend frontend = new Frontend(server, new Router(new Databases(store), accounts), interceptor);
        server.createContext("/", frontend::serve);
        server.setExecutor(frontend.threads);
        server.start();
        return frontend;
    }

    private static ExecutorService threads() {
        AtomicInteger count = new AtomicInteger();
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "embedded-couch-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void serve(HttpExchange exchange) throws IOException {
        Interceptor.Fate fate;
        try {
            fate = interceptor.fate(
                    exchange.getRequestMethod(), exchange.getRequestURI().getRawPath());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fate = new Interceptor.Fate(Interceptor.Kind.CUT, 0);
        }
        switch (fate.kind()) {
            case SERVE -> answer(exchange, new Call(exchange, false));
            case LOSE_ANSWER -> answer(exchange, new Call(exchange, true));
            case ANSWER -> {
                Call call = new Call(exchange, false);
                call.body();
                call.answerError(new CouchError(fate.status(), "injected_fault", "A test asked for this answer."));
                exchange.close();
            }
            case CUT -> exchange.close();
        }
    }

    /** An answer that breaks off in the middle must look broken, so its connection is cut and not ended. */
    private void answer(HttpExchange exchange, Call call) throws IOException {
        try {
            exchange.getResponseHeaders().set("Server", ServerHandler.SOFTWARE);
            exchange.getResponseHeaders().set("Cache-Control", "must-revalidate");
            exchange.getResponseHeaders().set("X-Couch-Request-ID", requestId());
            route(exchange, call);
            exchange.close();
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("client of {} went away: {}", exchange.getRequestURI(), e.toString());
            throw new IOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void route(HttpExchange exchange, Call call) throws IOException, InterruptedException {
        try {
            router.handle(call);
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

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
