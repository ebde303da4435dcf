package io.couchjobs.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.QueueHealth;
import io.couchjobs.admin.History;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Listening;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The examples of the guide. */
@ExtendWith(CouchExtension.class)
class ObservingGuideTest {
    // The examples of the guide.

    static JobQueue observed(URI url, MeterRegistry registry, OpenTelemetry openTelemetry) {
        return JobQueue.builder(url)
                .extension(QueueMetrics.of(registry).tags("queue", "shop"))
                .extension(QueueTracing.of(openTelemetry))
                .open();
    }

    static void report(JobQueue queue) {
        QueueHealth health = queue.operations().health();
        if (!health.isUp()) {
            health.problems().forEach(problem -> System.err.println("no jobs are run: " + problem));
        }
    }

    static void lookBack(JobQueue queue) {
        History history = queue.operations().history();
        history.mark("v1.4");
        Instant now = Instant.now();
        History.Chart lastDay = history.read(now.minus(Duration.ofDays(1)), now, Duration.ofMinutes(10));
        lastDay.byType()
                .forEach((type, series) -> System.out.println(type + ": "
                        + series.total().failures() + " of " + series.total().runs() + " runs failed"));
    }

    static Listening alarms(JobQueue queue) {
        Listening alarms = queue.operations()
                .alarms()
                .oldestDue(Duration.ofMinutes(5))
                .failureRate(0.1)
                .webhook(URI.create("https://chat.example.org/hook"))
                .start();
        return alarms;
    }

    // Until here.

    @Test
    void the_examples_run(TestDatabase database) {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (JobQueue queue = observed(database.url(), registry, OpenTelemetry.noop())) {
            queue.add("email", Map.of());
            report(queue);
            lookBack(queue);
            alarms(queue).close();
            assertThat(registry.get("couchjobs.jobs.added")
                            .tag("queue", "shop")
                            .counter()
                            .count())
                    .isEqualTo(1);
        }
    }

    @Test
    void the_guide_quotes_them() throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/observing.md")));
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/telemetry/ObservingGuideTest.java"))
                .replaceAll("\\s", "");
        int blocks = 0;
        while (block.find()) {
            assertThat(source).contains(block.group(1).replaceAll("\\s", ""));
            blocks++;
        }
        assertThat(blocks).isEqualTo(4);
    }
}
