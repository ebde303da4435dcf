package io.couchjobs.dashboard;

import com.sun.net.httpserver.HttpServer;
import io.couchjobs.JobQueue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;

/**
 * A web page that shows what a queue does, and lets people act on it. Thread-safe.
 *
 * <pre>{@code
 * try (Dashboard dashboard = Dashboard.of(queue).listen("127.0.0.1", 8080)) {
 *     System.out.println(dashboard.url());
 *     ...
 * }
 * }</pre>
 *
 * The dashboard listens while it is open. It follows the queue's feed from the first opened page on. Many viewers of a page cost
 * the database no more than one viewer. Close the dashboard before the queue.
 */
public final class Dashboard implements AutoCloseable {
    private static final int BACKLOG = 128;
    /** Requests that are served at once, beside the event streams of the browsers. */
    private static final int MOST_REQUESTS = 64;

    static {
        // The JDK's server reads this property once. Without it, each small answer waits for a timer of TCP.
        if (System.getProperty("sun.net.httpserver.nodelay") == null) {
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }
    }

    private final HttpServer server;
    private final DashboardHandler handler;
    private final RequestThreads threads;
    private final URI url;

    private Dashboard(HttpServer server, DashboardHandler handler, String host, DashboardBuilder options) {
        String basePath = options.path();
        this.server = server;
        this.handler = handler;
        this.threads = new RequestThreads(Hub.MOST_VIEWERS + MOST_REQUESTS, options.longestRead());
        this.url = URI.create("http://" + host + ":" + server.getAddress().getPort() + basePath + "/");
        server.createContext(basePath.isEmpty() ? "/" : basePath, threads.handler(handler::answer));
        server.setExecutor(threads);
        server.start();
    }

    /**
     * Prepares a dashboard. Performs no I/O.
     *
     * @param queue the queue to show; the dashboard does not close it
     * @return a builder
     */
    public static DashboardBuilder of(JobQueue queue) {
        return new DashboardBuilder(queue);
    }

    static Dashboard start(DashboardBuilder options, InetSocketAddress address, DashboardHandler handler) {
        try {
            String host = address.getAddress().isAnyLocalAddress()
                    ? "127.0.0.1"
                    : address.getHostString().contains(":")
                            ? "[" + address.getHostString() + "]"
                            : address.getHostString();
            return new Dashboard(HttpServer.create(address, BACKLOG), handler, host, options);
        } catch (IOException e) {
            handler.close();
            throw new UncheckedIOException("cannot listen on " + address, e);
        }
    }

    /** {@return the URL at which a browser on this machine reaches the dashboard, with a slash at the end} */
    public URI url() {
        return url;
    }

    /** Stops listening, and disconnects the browsers. Idempotent. */
    @Override
    public void close() {
        handler.close();
        server.stop(0);
        threads.close();
    }
}
