package io.couchjobs.spring;

import io.couchjobs.dashboard.DashboardBuilder;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.SmartLifecycle;

/**
 * Registers the dashboard's servlet in the container. The servlet is closed before the web server waits for running requests,
 * because the request of a listening page never ends by itself. Thread-safe.
 */
final class DashboardRegistration extends ServletRegistrationBean<DashboardServlet> implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(DashboardRegistration.class);

    private final DashboardBuilder dashboard;
    private final DashboardServlet servlet;
    private final String path;

    /**
     * Creates a registration.
     *
     * @param dashboard builds the dashboard; gets its base path when the container registers the servlet
     * @param path the dashboard's path in the application
     */
    DashboardRegistration(DashboardBuilder dashboard, String path) {
        this(dashboard, new DashboardServlet(dashboard), path);
    }

    private DashboardRegistration(DashboardBuilder dashboard, DashboardServlet servlet, String path) {
        super(servlet, path, path + "/*");
        this.dashboard = dashboard;
        this.servlet = servlet;
        this.path = path;
        setName("couchjobsDashboard");
    }

    @Override
    protected ServletRegistration.Dynamic addRegistration(String description, ServletContext container) {
        String base = container.getContextPath() + path; // also correct in an external servlet container
        dashboard.basePath(base);
        log.info("the dashboard is at {}/", base);
        return super.addRegistration(description, container);
    }

    @Override
    public void start() {
        if (isEnabled()) {
            servlet.open();
        }
    }

    @Override
    public void stop() {
        servlet.close();
    }

    @Override
    public boolean isRunning() {
        return servlet.handler() != null;
    }
}
