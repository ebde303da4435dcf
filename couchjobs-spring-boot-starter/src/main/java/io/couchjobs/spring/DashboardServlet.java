package io.couchjobs.spring;

import io.couchjobs.dashboard.DashboardHandler;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Serves the dashboard in a servlet container; each browser that looks takes one of its threads. */
final class DashboardServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable DashboardHandler handler;

    DashboardServlet(@Nullable DashboardHandler handler) {
        this.handler = handler;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (handler == null) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        } else {
            handler.handle(new ServletExchange(request, response));
        }
    }

    @Override
    public void destroy() {
        if (handler != null) {
            handler.close();
        }
    }
}
