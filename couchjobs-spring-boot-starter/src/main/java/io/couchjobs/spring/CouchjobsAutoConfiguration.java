package io.couchjobs.spring;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.QueueExtension;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import java.net.URI;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configures a {@link JobQueue}, and a worker for the application's {@link JobHandler} and {@link OnChange} methods. Active
 * when {@code couchjobs.url} is set or there is a bean of type {@link CouchjobsConnectionDetails}.
 */
@AutoConfiguration(after = CouchjobsTelemetryAutoConfiguration.class)
@Conditional(OnDatabase.class)
@EnableConfigurationProperties(CouchjobsProperties.class)
public class CouchjobsAutoConfiguration {

    /** Called by Spring. */
    public CouchjobsAutoConfiguration() {}

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    JobQueue jobQueue(
            CouchjobsProperties properties,
            ObjectProvider<CouchjobsConnectionDetails> details,
            ObjectProvider<QueueExtension> extensions,
            ObjectProvider<JobQueueCustomizer> customizers) {
        JobQueueBuilder builder = Optional.ofNullable(details.getIfAvailable())
                .map(CouchjobsAutoConfiguration::builder)
                .orElseGet(() -> builder(properties))
                .createIfMissing(properties.createIfMissing())
                .defaultTimeout(properties.defaultTimeout());
        if (properties.site() != null) {
            builder.site(properties.site());
        }
        properties.connections().forEach((name, url) -> connect(builder, name, url));
        extensions.orderedStream().forEach(builder::extension);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder.open();
    }

    private static JobQueueBuilder builder(CouchjobsConnectionDetails details) {
        return withUser(JobQueue.builder(details.url()), details.user(), details.password());
    }

    private static JobQueueBuilder builder(CouchjobsProperties properties) {
        JobQueueBuilder builder = JobQueue.builder(WrongUrlException.check(Objects.requireNonNull(properties.url())));
        properties.nodes().forEach(builder::url);
        String token = properties.token();
        return token != null
                ? builder.auth(new Auth.Bearer(() -> token))
                : withUser(builder, properties.user(), properties.password());
    }

    /** Adds a connection. The exception for a bad URL has no cause and does not show the URL, which may contain a password. */
    private static void connect(JobQueueBuilder builder, String name, String url) {
        try {
            builder.connection(name, URI.create(url));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalStateException("couchjobs.connections." + name + " is not the URL of a server");
        }
    }

    private static JobQueueBuilder withUser(JobQueueBuilder builder, @Nullable String user, @Nullable String password) {
        return user == null
                ? builder
                : builder.auth(new Auth.Basic(user, Secret.of(Objects.requireNonNullElse(password, ""))));
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "couchjobs.worker.enabled", matchIfMissing = true)
    WorkerLifecycle couchjobsWorker(
            JobQueue queue,
            CouchjobsProperties properties,
            ConfigurableApplicationContext context,
            ObjectProvider<WorkerCustomizer> customizers) {
        return new WorkerLifecycle(
                queue,
                properties.worker(),
                new HandlerMethods(context),
                customizers.orderedStream().toList());
    }
}
