package io.couchjobs.spring;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Profile;

/** Auto-configures an in-memory server in the profile {@code dev}, with couchjobs-embedded and without {@code couchjobs.url}. */
@AutoConfiguration(before = {CouchjobsTelemetryAutoConfiguration.class, CouchjobsAutoConfiguration.class})
@Profile("dev")
@ConditionalOnClass(EmbeddedCouch.class)
@Conditional(CouchjobsDevAutoConfiguration.WithoutUrl.class)
@ConditionalOnMissingBean({CouchjobsConnectionDetails.class, JobQueue.class})
public class CouchjobsDevAutoConfiguration {
    private static final Logger log = LoggerFactory.getLogger(CouchjobsDevAutoConfiguration.class);

    /** Called by Spring. */
    public CouchjobsDevAutoConfiguration() {}

    @Bean(destroyMethod = "close")
    EmbeddedCouch couchjobsEmbedded() {
        return EmbeddedCouch.inMemory().start();
    }

    @Bean
    CouchjobsConnectionDetails couchjobsEmbeddedConnection(EmbeddedCouch couch) {
        String url = couch.url().resolve("couchjobs").toString();
        log.info(
                "couchjobs.url is not set and the profile dev is active: jobs are kept in memory, at {}, and gone when this"
                        + " application stops",
                url);
        return () -> url;
    }

    /** Matches when {@code couchjobs.url} is not set. */
    static final class WithoutUrl extends NoneNestedConditions {
        WithoutUrl() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty("couchjobs.url")
        static final class Url {}
    }
}
