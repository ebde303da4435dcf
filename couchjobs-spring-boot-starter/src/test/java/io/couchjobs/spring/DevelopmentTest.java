package io.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.telemetry.QueueMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** Development without a database. */
@ExtendWith(OutputCaptureExtension.class)
class DevelopmentTest {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    CouchjobsAutoConfiguration.class,
                    CouchjobsTelemetryAutoConfiguration.class,
                    CouchjobsDevAutoConfiguration.class));

    private final ApplicationContextRunner development = application.withPropertyValues("spring.profiles.active=dev");

    @Test
    void in_the_profile_dev_jobs_are_kept_in_memory_and_a_line_says_so(CapturedOutput output) {
        development
                .withUserConfiguration(Handlers.class)
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    JobQueue queue = context.getBean(JobQueue.class);
                    assertThat(queue.awaitFinished(queue.add("echo", Map.of()).id(), Duration.ofMinutes(1))
                                    .orElseThrow()
                                    .result()
                                    .orElseThrow()
                                    .asText())
                            .isEqualTo("done");
                    assertThat(context).hasSingleBean(QueueMetrics.class);
                });
        assertThat(output).containsOnlyOnce("jobs are kept in memory");
    }

    @Test
    void in_other_profiles_there_is_nothing() {
        application.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(JobQueue.class));
    }

    @Test
    void a_url_counts_more() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start()) {
            development
                    .withPropertyValues("couchjobs.url=" + couch.url() + "mine")
                    .run(context -> {
                        assertThat(context).doesNotHaveBean(EmbeddedCouch.class);
                        assertThat(context.getBean(JobQueue.class).database().name())
                                .isEqualTo("mine");
                    });
        }
    }

    @Test
    void without_couchjobs_embedded_there_is_nothing() {
        development
                .withClassLoader(new FilteredClassLoader(EmbeddedCouch.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(JobQueue.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Handlers {
        @JobHandler("echo")
        String echo() {
            return "done";
        }
    }
}
