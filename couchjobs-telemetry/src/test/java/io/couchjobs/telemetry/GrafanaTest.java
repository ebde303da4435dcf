package io.couchjobs.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.worker.Worker;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The dashboard and the alerts that come with couchjobs, and the page that lists the metrics, against what Prometheus is told. */
@ExtendWith(CouchExtension.class)
class GrafanaTest {
    private static final Path DASHBOARD = Path.of("../deploy/grafana/couchjobs.json");
    private static final Path ALERTS = Path.of("../deploy/prometheus/couchjobs.rules.yaml");
    private static final Path GUIDE = Path.of("../docs/observing.md");
    private static final Pattern METRIC = Pattern.compile("\\bcouchjobs_[a-z_]+");

    @Test
    @Timeout(120)
    void names_only_metrics_that_there_are(TestDatabase database) throws Exception {
        Set<String> told = told(database);
        JsonNode dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
        Set<String> queries = new TreeSet<>(dashboard.findValuesAsText("expr"));
        queries.addAll(dashboard.at("/templating/list").findValuesAsText("query"));
        Set<String> named =
                queries.stream().flatMap(query -> metrics(query).stream()).collect(Collectors.toSet());
        assertThat(queries).hasSizeGreaterThan(10);
        assertThat(named).hasSizeGreaterThan(10).isSubsetOf(told);
        assertThat(metrics(Files.readString(ALERTS)))
                .as("the alerts")
                .hasSizeGreaterThan(4)
                .isSubsetOf(told);
        assertThat(metrics(Files.readString(GUIDE)))
                .as("the guide")
                .hasSizeGreaterThan(10)
                .isSubsetOf(told);
    }

    private static Set<String> told(TestDatabase database) throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (JobQueue queue = JobQueue.builder(database.url())
                .renewLeases(false)
                .extension(QueueMetrics.of(registry))
                .open()) {
            queue.add("email", Map.of());
            Worker worker = queue.worker()
                    .handler("email", (data, context) -> null)
                    .maxJobs(1)
                    .start();
            worker.awaitStopped();
            worker.close();
            queue.triggers()
                    .put(Trigger.named("mails")
                            .source(database.name())
                            .prefixes("order:")
                            .type("mail")
                            .paused()
                            .build());
            while (registry.find("couchjobs.queue.depth").gauge() == null
                    || registry.find("couchjobs.trigger.lag").gauge() == null) {
                // The first request starts the reading; on a slow machine the reading takes longer than the request
                // waits.
                registry.get("couchjobs.queue.numbers.age").gauge().value();
            }
            return metrics(registry.scrape());
        }
    }

    private static Set<String> metrics(String text) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = METRIC.matcher(text);
        while (matcher.find()) {
            names.add(matcher.group());
        }
        return names;
    }
}
