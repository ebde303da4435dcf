package io.couchjobs.spring;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.Secret;
import io.couchjobs.dashboard.Dashboard;
import io.couchjobs.dashboard.DashboardBuilder;
import io.couchjobs.dashboard.DashboardHandler;
import jakarta.servlet.Servlet;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * The dashboard at {@code couchjobs} below the management path, on the application's port, where the application has
 * couchjobs-dashboard. Not without somebody who asks for a password.
 */
@AutoConfiguration(after = CouchjobsAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Dashboard.class, Servlet.class})
@ConditionalOnBean(JobQueue.class)
@ConditionalOnProperty(name = "couchjobs.dashboard.enabled", matchIfMissing = true)
public class CouchjobsDashboardAutoConfiguration {
    private static final Logger log = LoggerFactory.getLogger(CouchjobsDashboardAutoConfiguration.class);

    /** Made by Spring. */
    public CouchjobsDashboardAutoConfiguration() {}

    @Bean
    ServletRegistrationBean<Servlet> couchjobsDashboard(
            JobQueue queue, CouchjobsProperties properties, Environment environment) {
        String below =
                trimmed(environment.getProperty("management.endpoints.web.base-path", "/actuator")) + "/couchjobs";
        String path = trimmed(environment.getProperty("server.servlet.context-path", "")) + below;
        Optional<DashboardHandler> handler = handler(queue, properties.dashboard(), path);
        ServletRegistrationBean<Servlet> registration =
                new ServletRegistrationBean<>(new DashboardServlet(handler.orElse(null)), below, below + "/*");
        registration.setName("couchjobsDashboard");
        registration.setEnabled(handler.isPresent());
        if (handler.isPresent()) {
            log.info("the dashboard of {} is at {}/", queue, path);
        } else {
            log.info(
                    "no dashboard, because nobody would ask who looks at it: set couchjobs.dashboard.user and .password, or"
                            + " .token, or .guarded-by-application=true");
        }
        return registration;
    }

    private static Optional<DashboardHandler> handler(
            JobQueue queue, CouchjobsProperties.Dashboard options, String path) {
        DashboardBuilder builder = Dashboard.of(queue).basePath(path).actions(options.actions());
        options.hosts().forEach(builder::host);
        boolean guarded = options.guardedByApplication();
        if (options.user() != null && options.password() != null) {
            builder.user(options.user(), Secret.of(options.password()));
            guarded = true;
        }
        if (options.token() != null) {
            builder.token(Secret.of(options.token()));
            guarded = true;
        }
        return guarded ? Optional.of(builder.handler()) : Optional.empty();
    }

    private static String trimmed(String path) {
        return path.replaceAll("/+$", "");
    }
}
