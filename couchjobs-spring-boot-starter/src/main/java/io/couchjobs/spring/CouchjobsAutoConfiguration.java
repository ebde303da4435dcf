package io.couchjobs.spring;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.QueueExtension;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Gives an application a {@link JobQueue}, and a worker for its {@link JobHandler} methods, when {@code couchjobs.url} is set. */
@AutoConfiguration(after = CouchjobsTelemetryAutoConfiguration.class)
@ConditionalOnProperty("couchjobs.url")
@EnableConfigurationProperties(CouchjobsProperties.class)
public class CouchjobsAutoConfiguration {

    /** Made by Spring. */
    public CouchjobsAutoConfiguration() {}

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    JobQueue jobQueue(
            CouchjobsProperties properties,
            ObjectProvider<QueueExtension> extensions,
            ObjectProvider<JobQueueCustomizer> customizers) {
        JobQueueBuilder builder = JobQueue.builder(Objects.requireNonNull(properties.url()))
                .createIfMissing(properties.createIfMissing())
                .defaultTimeout(properties.defaultTimeout());
        properties.nodes().forEach(builder::url);
        String token = properties.token();
        if (token != null) {
            builder.auth(new Auth.Bearer(() -> token));
        } else if (properties.user() != null) {
            String password = properties.password() == null ? "" : properties.password();
            builder.auth(new Auth.Basic(properties.user(), Secret.of(password)));
        }
        if (properties.site() != null) {
            builder.site(properties.site());
        }
        extensions.orderedStream().forEach(builder::extension);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder.open();
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
