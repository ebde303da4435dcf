package io.couchjobs.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import io.couchjobs.worker.Worker;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** No meter, no span and no log line has a secret in it, whether all goes well, nobody is let in, or nobody is there. */
@Timeout(120)
@Isolated("sets the levels of loggers")
class CanaryTest {
    private static final String CANARY = "canary-7d1f";
    private static final List<String> LOUD = List.of("io.couchjobs", "io.micrometer", "io.opentelemetry", "org.apache");

    @RegisterExtension
    static final OpenTelemetryExtension OTEL = OpenTelemetryExtension.create();

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final List<String> told = new ArrayList<>();

    static Stream<Arguments> everyWayToHoldASecret() {
        return Stream.of(
                way(
                        "in the URL",
                        url -> JobQueue.builder(URI.create(url.toString().replace("://", "://me:" + CANARY + "@")))),
                way("basic", with(new Auth.Basic("me", Secret.of(CANARY)))),
                way("session", with(new Auth.Session("me", Secret.of(CANARY)))),
                way("bearer", with(new Auth.Bearer(() -> CANARY))));
    }

    private static Arguments way(String name, Function<URI, JobQueueBuilder> how) {
        return Arguments.of(name, how);
    }

    private static Function<URI, JobQueueBuilder> with(Auth auth) {
        return url -> JobQueue.builder(url).auth(auth);
    }

    @BeforeEach
    void listen() {
        log.start();
        LOUD.forEach(name -> {
            logger(name).setLevel(Level.TRACE);
            logger(name).setAdditive(false);
            logger(name).addAppender(log);
        });
    }

    @AfterEach
    void stopListening() {
        LOUD.forEach(name -> {
            logger(name).detachAppender(log);
            logger(name).setAdditive(true);
            logger(name).setLevel(null);
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("everyWayToHoldASecret")
    void no_secret_gets_into_a_meter_a_span_or_a_log_line(String name, Function<URI, JobQueueBuilder> way)
            throws Exception {
        try (EmbeddedCouch refusing =
                EmbeddedCouch.builder().inMemory().admin("me", "another").start()) {
            EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
            URI url = URI.create(couch.url() + "jobs");
            List<URI> elsewhere = List.of(
                    url,
                    URI.create(refusing.url() + "jobs"),
                    URI.create("http://127.0.0.1:1/jobs"),
                    URI.create("http://couch.invalid/jobs"));
            try (couch;
                    JobQueue queue = observed(way.apply(url))) {
                run(queue, elsewhere, way);
                askUntil(() -> registry.find("couchjobs.queue.depth").gauge() != null);
                tellOfMeters(queue);
                couch.faults().answer(Integer.MAX_VALUE, request -> true, 401);
                askUntil(() -> saysInLog("cannot be read", " 401 "));
                tellOfMeters(queue);
                couch.close();
                askUntil(() -> saysInLog("cannot be read", "unreachable"));
                tellOfMeters(queue);
            }
        }
        tellOfSpansAndLog();

        assertThat(told)
                .anyMatch(text -> text.contains("couchjobs_jobs_added_total{type=\"email\"} 4"))
                .anyMatch(text -> text.contains("couchjobs_queue_depth{status=\"stuck\",type=\"email\"} 3"))
                .anyMatch(text -> text.contains("process email") && text.contains("CouchUnauthorizedException"))
                .anyMatch(text -> text.contains("process email") && text.contains("Connection refused"))
                .anyMatch(text -> text.contains("process email") && text.contains("couch.invalid"))
                .anyMatch(text -> text.startsWith("io.couchjobs.telemetry"))
                .anyMatch(text -> text.startsWith("org.apache.hc"));
        for (String secret : List.of(CANARY, base64("me:" + CANARY))) {
            assertThat(told).noneMatch(text -> text.contains(secret));
        }
    }

    private JobQueue observed(JobQueueBuilder builder) {
        return builder.extension(QueueMetrics.of(registry).readEvery(Duration.ofMillis(200)))
                .extension(QueueTracing.of(OTEL.getOpenTelemetry()))
                .open();
    }

    /** A job for each of the places, whose handler asks there with the same secret, and lets out what is thrown. */
    private static void run(JobQueue queue, List<URI> places, Function<URI, JobQueueBuilder> way) throws Exception {
        for (int n = 0; n < places.size(); n++) {
            queue.add(JobRequest.builder("email").data(Map.of("n", n)).build());
        }
        try (Worker worker = queue.worker()
                .concurrency(places.size())
                .handler("email", (data, context) -> {
                    try (JobQueue other =
                            way.apply(places.get(data.path("n").asInt())).open()) {
                        return other.toString();
                    }
                })
                .maxJobs(places.size())
                .start()) {
            worker.awaitStopped();
        }
    }

    /** A request for the age of the numbers starts a reading, and waits a little for it. */
    private void askUntil(BooleanSupplier holds) {
        while (!holds.getAsBoolean()) {
            assertThat(Thread.currentThread().isInterrupted())
                    .as("the time is over")
                    .isFalse();
            registry.get("couchjobs.queue.numbers.age").gauge().value();
        }
    }

    private boolean saysInLog(String... parts) {
        synchronized (log) {
            return log.list.stream()
                    .filter(event -> event.getLoggerName().startsWith("io.couchjobs.telemetry"))
                    .anyMatch(event -> Stream.of(parts).allMatch(event.getFormattedMessage()::contains));
        }
    }

    private void tellOfMeters(JobQueue queue) {
        told.add(registry.scrape());
        registry.getMeters()
                .forEach(meter ->
                        told.add(meter.getId() + " " + meter.getId().getDescription() + " " + meter.measure()));
        told.add(queue.operations().health().toString());
    }

    private void tellOfSpansAndLog() {
        OTEL.getSpans().forEach(span -> {
            told.add(span.toString());
            told.add(span.getName() + span.getAttributes() + span.getStatus() + span.getResource());
            span.getEvents().forEach(event -> told.add(span.getName() + event.getName() + event.getAttributes()));
        });
        synchronized (log) {
            log.list.forEach(event -> {
                told.add(event.getLoggerName() + " " + event.getFormattedMessage());
                told.add(String.valueOf(ThrowableProxyUtil.asString(event.getThrowableProxy())));
            });
        }
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
