package io.couchjobs.spring;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.dashboard.Dashboard;
import io.couchjobs.dashboard.DashboardBuilder;
import jakarta.servlet.Servlet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configures the dashboard when couchjobs-dashboard is on the class path. The dashboard is at {@code couchjobs} below the
 * management path, on the application's port. It is served only if it has credentials, or the application's own security guards
 * it.
 */
@AutoConfiguration(after = CouchjobsAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Dashboard.class, Servlet.class})
@ConditionalOnBean(JobQueue.class)
@ConditionalOnProperty(name = "couchjobs.dashboard.enabled", matchIfMissing = true)
@EnableConfigurationProperties(CouchjobsProperties.class)
public class CouchjobsDashboardAutoConfiguration {
    private static final Logger log = LoggerFactory.getLogger(CouchjobsDashboardAutoConfiguration.class);

    /** Called by Spring. */
    public CouchjobsDashboardAutoConfiguration() {}

    @Bean
    DashboardRegistration couchjobsDashboard(JobQueue queue, CouchjobsProperties properties, Environment environment) {
        String below =
                trimmed(environment.getProperty("management.endpoints.web.base-path", "/actuator")) + "/couchjobs";
        CouchjobsProperties.Dashboard options = properties.dashboard();
        DashboardBuilder dashboard = Dashboard.of(queue).actions(options.actions());
        options.hosts().forEach(dashboard::host);
        if (options.api()) {
            dashboard.api();
        }
        DashboardRegistration registration = new DashboardRegistration(dashboard, below);
        registration.setEnabled(isGuarded(dashboard, options));
        if (!registration.isEnabled()) {
            log.info("no dashboard, because anybody could open it: set couchjobs.dashboard.user and .password, or"
                    + " .token, or .guarded-by-application=true");
        }
        return registration;
    }

    private static boolean isGuarded(DashboardBuilder dashboard, CouchjobsProperties.Dashboard options) {
        boolean guarded = options.guardedByApplication();
        if (options.user() != null && options.password() != null) {
            dashboard.user(options.user(), Secret.of(options.password()));
            guarded = true;
        }
        if (options.token() != null) {
            dashboard.token(Secret.of(options.token()));
            guarded = true;
        }
        if (options.readOnlyToken() != null) {
            dashboard.readOnlyToken(Secret.of(options.readOnlyToken()));
            guarded = true;
        }
        return guarded;
    }

    private static String trimmed(String path) {
        return path.replaceAll("/+$", "");
    }
}
