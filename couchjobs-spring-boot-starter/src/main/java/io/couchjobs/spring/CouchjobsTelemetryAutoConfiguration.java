package io.couchjobs.spring;

import io.couchjobs.telemetry.QueueMetrics;
import io.couchjobs.telemetry.QueueTracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Auto-configures metrics for a {@code MeterRegistry} bean, and traces for an {@code OpenTelemetry} bean. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.opentelemetry.OpenTelemetryAutoConfiguration",
            "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration"
        })
@Conditional(OnDatabase.class)
public class CouchjobsTelemetryAutoConfiguration {

    /** Called by Spring. */
    public CouchjobsTelemetryAutoConfiguration() {}

    /** Metrics. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Metrics {
        @Bean
        @ConditionalOnBean(MeterRegistry.class)
        @ConditionalOnMissingBean
        QueueMetrics couchjobsMetrics(MeterRegistry registry) {
            return QueueMetrics.of(registry);
        }
    }

    /** Traces. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(OpenTelemetry.class)
    static class Traces {
        @Bean
        @ConditionalOnBean(OpenTelemetry.class)
        @ConditionalOnMissingBean
        QueueTracing couchjobsTracing(OpenTelemetry openTelemetry) {
            return QueueTracing.of(openTelemetry);
        }
    }
}
