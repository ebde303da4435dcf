package io.couchjobs.embedded.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.CouchStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The HTTP server. Each running request, including a feed, has its own thread. */
public final class Frontend implements AutoCloseable {
    private static final int BACKLOG = 1024;
    /** The stack size of threads. The JavaScript engine needs a kilobyte per level of a document; the default is a megabyte. */
    static final long STACK = 8L << 20;

    private static final int GRACE_SECONDS = 20;

    static {
        preset("sun.net.httpserver.nodelay", "true");
        preset("sun.net.httpserver.maxIdleConnections", "10000");
        preset("sun.net.httpserver.idleInterval", "3600");
    }

    private final HttpServer server;
    private final ExecutorService threads;
    private final Answering answering;
    private final Interceptor interceptor;
    private final Cors cors;
    private final @Nullable CouchStore store;

    private Frontend(HttpServer server, Routes routes, Interceptor interceptor, Cors cors, @Nullable CouchStore store) {
        this.server = server;
        this.cors = cors;
        this.store = store;
        this.answering = new Answering(routes);
        this.interceptor = interceptor;
        this.threads = threads();
    }

    /** Sets a property of the JDK's server, whose defaults delay small answers and drop idle clients. */
    private static void preset(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /** Starts a server on the loopback interface; port 0 takes a free port. */
    public static Frontend start(int port, CouchStore store, Accounts accounts, Interceptor interceptor, Cors cors)
            throws IOException {
        return start(port, new Router(new Databases(store), accounts), interceptor, cors, store);
    }

    /** Starts a server for one node of a simulated cluster; port 0 takes a free port. */
    public static Frontend start(int port, ClusterNode node) throws IOException {
        return start(port, new ClusterRouter(node), (method, path) -> Interceptor.Fate.SERVE, Cors.NONE, null);
    }

    private static Frontend start(
            int port, Routes routes, Interceptor interceptor, Cors cors, @Nullable CouchStore store)
            throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        Frontend frontend = new Frontend(server, routes, interceptor, cors, store);
        server.createContext("/", frontend::serve);
        server.setExecutor(frontend.threads);
        server.start();
        return frontend;
    }

    private static ExecutorService threads() {
        AtomicInteger count = new AtomicInteger();
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(null, task, "embedded-couch-" + count.incrementAndGet(), STACK);
            thread.setDaemon(true);
            return thread;
        });
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void serve(HttpExchange exchange) throws IOException {
        if (cors.answered(exchange)) {
            return;
        }
        Interceptor.Fate fate;
        try {
            fate = interceptor.fate(
                    exchange.getRequestMethod(), exchange.getRequestURI().getRawPath());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fate = new Interceptor.Fate(Interceptor.Kind.CUT);
        }
        switch (fate.kind()) {
            case SERVE -> answering.answer(exchange, new Call(exchange, false));
            case LOSE_ANSWER -> answering.answer(exchange, new Call(exchange, true));
            case ANSWER -> {
                Call call = new Call(exchange, false);
                call.body();
                call.answerError(new CouchError(fate.status(), "injected_fault", fate.reason()));
                exchange.close();
            }
            case CUT -> exchange.close();
        }
    }

    /** Ends all connections and feeds. */
    @Override
    public void close() {
        server.stop(0);
        if (store != null) {
            store.endFeeds();
            awaitRequests();
        }
        threads.shutdownNow();
    }

    /** Waits for the running requests. Interrupting a write would close the store's file, and closing the store would hang. */
    private void awaitRequests() {
        threads.shutdown();
        try {
            threads.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
