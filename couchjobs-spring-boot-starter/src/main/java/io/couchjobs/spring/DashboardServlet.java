package io.couchjobs.spring;

import io.couchjobs.dashboard.DashboardBuilder;
import io.couchjobs.dashboard.DashboardHandler;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the dashboard in a servlet container between {@link #open} and {@link #close}. Requests of pages that listen for changes
 * run in separate threads, because the container has few threads and the application needs them. Thread-safe.
 */
final class DashboardServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final Logger log = LoggerFactory.getLogger(DashboardServlet.class);
    private static final String EVENTS = "/api/events";

    private final transient DashboardBuilder dashboard;
    private transient @Nullable DashboardHandler handler;

    DashboardServlet(DashboardBuilder dashboard) {
        this.dashboard = dashboard;
    }

    /** Starts answering requests. May be called again after {@link #close}, because an application can be stopped and restarted. */
    synchronized void open() {
        if (handler == null) {
            handler = dashboard.handler();
        }
    }

    /** Stops answering requests and disconnects the browsers. */
    synchronized void close() {
        if (handler != null) {
            handler.close();
            handler = null;
        }
    }

    synchronized @Nullable DashboardHandler handler() {
        return handler;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        DashboardHandler present = handler();
        if (present == null) {
            response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        } else if (!ServletExchange.isUri(request)) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST);
        } else if (EVENTS.equals(request.getPathInfo()) && request.isAsyncSupported()) {
            ServletExchange exchange = new ServletExchange(request, response);
            AsyncContext listening = request.startAsync();
            listening.setTimeout(0);
            Thread thread = new Thread(() -> serve(present, exchange, listening), "couchjobs-dashboard-events");
            thread.setDaemon(true);
            thread.start();
        } else {
            present.handle(new ServletExchange(request, response));
        }
    }

    @Override
    public void destroy() {
        close();
    }

    private static void serve(DashboardHandler handler, ServletExchange exchange, AsyncContext listening) {
        try {
            handler.handle(exchange);
        } catch (IOException | RuntimeException left) {
            log.debug("a browser that listened to the dashboard went away: {}", left.toString());
        } finally {
            complete(listening);
        }
    }

    private static void complete(AsyncContext listening) {
        try {
            listening.complete();
        } catch (IllegalStateException alreadyEnded) {
            log.trace("the container had ended it", alreadyEnded);
        }
    }
}
