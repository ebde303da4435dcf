package io.couchjobs.spring;

import io.couchjobs.JobQueue;
import io.couchjobs.QueueHealth;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configures a health indicator, which is down while this application cannot claim jobs. */
@AutoConfiguration(after = CouchjobsAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(JobQueue.class)
@ConditionalOnEnabledHealthIndicator("couchjobs")
public class CouchjobsHealthAutoConfiguration {

    /** Called by Spring. */
    public CouchjobsHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "couchjobsHealthIndicator")
    HealthIndicator couchjobsHealthIndicator(JobQueue queue) {
        return () -> {
            QueueHealth health = queue.operations().health();
            Health.Builder builder = health.isUp() ? Health.up() : Health.down();
            builder.withDetail("database", queue.database().name());
            return (health.isUp() ? builder : builder.withDetail("problems", health.problems())).build();
        };
    }
}
