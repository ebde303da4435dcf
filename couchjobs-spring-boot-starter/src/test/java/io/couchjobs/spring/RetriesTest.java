package io.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobRequest;
import io.couchjobs.test.CouchJobsTest;
import io.couchjobs.test.TestQueue;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.RunReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that sets the retries of a type, and has failed runs in its log. */
@CouchJobsTest
@SpringBootTest(classes = RetriesTest.Application.class)
@ExtendWith(OutputCaptureExtension.class)
class RetriesTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        ApplicationRunner retriesOfEmails(JobQueue queue) {
            RetryPolicy policy = new RetryPolicy(3, Duration.ofSeconds(10), Duration.ofHours(1));
            return arguments -> queue.types().change("email", settings -> settings.withRetryPolicy(policy));
        }

        @Bean
        WorkerCustomizer failedRuns() {
            var log = LoggerFactory.getLogger("jobs");
            return worker -> worker.onRunEnded(run -> run.message()
                    .ifPresent(problem ->
                            log.warn("{}, run {}: {}: {}", run.id(), run.attempt(), run.outcome(), problem)));
        }

        @Bean
        Mailer mailer() {
            return new Mailer();
        }
    }

    static final class Mailer {
        @JobHandler("email")
        void send(JobContext context) {
            if (context.attempt() < 4) {
                throw new IllegalStateException("no connection");
            }
        }
    }

    @Test
    void a_failed_run_is_in_the_log_and_retried_by_the_policy_of_the_application(TestQueue jobs, CapturedOutput output)
            throws Exception {
        jobs.queue().add(JobRequest.builder("email").id("1").data(Map.of()).build());

        assertThat(jobs.drain()).extracting(RunReport::outcome).containsExactly(RunReport.Outcome.RETRIED);
        assertThat(output).contains("email:1, run 1: RETRIED: java.lang.IllegalStateException: no connection");
        assertThat(jobs.drainAfter(Duration.ofSeconds(9))).isEmpty();
        assertThat(jobs.drainAfter(Duration.ofSeconds(1))).hasSize(1);
    }

    @Test
    void the_guide_quotes_it() throws Exception {
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/spring/RetriesTest.java"));
        int start = source.indexOf("@Bean\n");
        assertThat(Files.readString(Path.of("../docs/spring-boot.md")).replaceAll("\\s", ""))
                .contains(source.substring(start, source.indexOf("@Bean\n        Mailer"))
                        .replaceAll("\\s", ""));
    }
}
