package io.couchjobs.spring;

import io.couchjobs.JobQueue;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Explains that {@code couchjobs.url} is missing when a bean needs the queue. Comes before Spring's own analyzer, which would
 * suggest defining a bean.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class NoQueueFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {
    private final Environment environment;

    NoQueueFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
        Class<?> wanted = cause.getBeanType();
        if (wanted == null || wanted == Object.class || !wanted.isAssignableFrom(JobQueue.class)) {
            return null;
        } else if (environment.containsProperty("couchjobs.url")) {
            return null;
        }
        return new FailureAnalysis(
                "There is no " + wanted.getSimpleName()
                        + ", which this application wants, because the property couchjobs.url is not set.",
                UrlFailureAnalyzer.ACTION
                        + " For development, the profile \"dev\" with couchjobs-embedded needs none; for tests there is"
                        + " @CouchJobsTest.",
                cause);
    }
}
