package io.couchjobs.spring;

import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.SmartLifecycle;

/**
 * The dashboard's servlet in the container. It is closed before the web server waits for the requests under way: the request of a
 * listening page never ends by itself. Thread-safe.
 */
final class DashboardRegistration extends ServletRegistrationBean<DashboardServlet> implements SmartLifecycle {
    private final DashboardServlet servlet;

    DashboardRegistration(DashboardServlet servlet, String path) {
        super(servlet, path, path + "/*");
        this.servlet = servlet;
        setName("couchjobsDashboard");
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
