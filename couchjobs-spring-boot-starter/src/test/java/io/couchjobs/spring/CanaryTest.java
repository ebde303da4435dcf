package io.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.read.ListAppender;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.spring.shop.ShopApplication;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

/** No secret of the properties is in a log line, an error or an answer of the actuator, whether all goes well or nothing does. */
@Timeout(120)
@Isolated("sets the levels of loggers")
class CanaryTest {
    private static final String CANARY = "canary-7d1f";
    private static final List<String> ENDPOINTS = List.of(
            "",
            "/health",
            "/env",
            "/env/couchjobs.url",
            "/configprops",
            "/configprops/couchjobs",
            "/beans",
            "/conditions",
            "/mappings",
            "/metrics",
            "/metrics/couchjobs.queue.depth",
            "/couchjobs/");

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final List<Appender<ILoggingEvent>> usual = new ArrayList<>();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final List<String> told = new ArrayList<>();
    private final Level level = root.getLevel();

    @BeforeEach
    void listen() {
        for (Iterator<Appender<ILoggingEvent>> each = root.iteratorForAppenders(); each.hasNext(); ) {
            usual.add(each.next());
        }
        usual.forEach(root::detachAppender);
        log.start();
        root.addAppender(log);
        root.setLevel(Level.TRACE);
        System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE); // or Spring Boot would undo that
    }

    @AfterEach
    void stopListening() {
        System.clearProperty(LoggingSystem.SYSTEM_PROPERTY);
        root.setLevel(level);
        root.detachAppender(log);
        usual.forEach(root::addAppender);
    }

    @Test
    void nothing_that_an_application_tells_has_a_secret_in_it() throws Exception {
        EmbeddedCouch couch =
                EmbeddedCouch.builder().inMemory().admin("me", CANARY).start();
        try (couch;
                ConfigurableApplicationContext shop = start(
                        "couchjobs.url=" + couch.url().toString().replace("://", "://me:" + CANARY + "@") + "shop")) {
            told.add(shop.getBean(CouchjobsProperties.class).toString());
            told.add(shop.getBean(CouchjobsProperties.class).dashboard().toString());
            askActuator(shop, ENDPOINTS);
            couch.faults().answer(Integer.MAX_VALUE, request -> true, 401);
            askActuator(shop, List.of("/health"));
            couch.close();
            askActuator(shop, List.of("/health", "/metrics/couchjobs.queue.depth"));
        }
        tellOfLog();

        assertThat(told)
                .anyMatch(text -> text.startsWith("200 /health") && text.contains("couchjobs"))
                .anyMatch(text -> text.startsWith("200 /env") && text.contains("couchjobs.url"))
                .anyMatch(text -> text.startsWith("200 /configprops") && text.contains("prefix"))
                .anyMatch(text -> text.startsWith("503 /health") && text.contains("401"))
                .anyMatch(text -> text.startsWith("503 /health") && text.contains("unreachable"))
                .anyMatch(text -> text.startsWith("401 /couchjobs/"));
        assertNoSecretIsTold();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "couchjobs.user=me couchjobs.password=" + CANARY,
                "couchjobs.token=" + CANARY,
                "couchjobs.nodes=http://me:" + CANARY + "@127.0.0.1:1/jobs"
            })
    void a_start_without_a_server_or_with_a_wrong_password_shows_no_secret(String secret) {
        try (EmbeddedCouch couch =
                EmbeddedCouch.builder().inMemory().admin("me", "another").start()) {
            String refusing = couch.url().toString();
            List<String> urls = List.of(
                    refusing,
                    "https://127.0.0.1:1/",
                    refusing.replace("http://", "http://me:" + CANARY + "@"),
                    "http://127.0.0.1:1/",
                    "http://me:" + CANARY + "@127.0.0.1:1/");
            for (String url : urls) {
                List<String> properties = new ArrayList<>(List.of(secret.split(" ")));
                properties.add("couchjobs.url=" + url + "jobs");
                tellOfFailure(properties.toArray(String[]::new));
            }
        }
        tellOfLog();
        assertThat(told).anyMatch(text -> text.contains("CouchUnauthorizedException"));
        assertThat(told).anyMatch(text -> text.contains("CouchUnreachableException"));
        assertNoSecretIsTold();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://me:" + CANARY + "/x@host/db",
                "http://me:" + CANARY + "@ho st/db",
                "http:me:" + CANARY + "@host/db",
                "\"http://me:" + CANARY + "@host/db\"",
                "http://me:" + CANARY + "@[host/db",
                "ftp://me:" + CANARY + "@host/db",
                "http://me:" + CANARY + "%zz@host/db"
            })
    void an_address_that_is_none_is_refused_without_showing_its_secret(String url) {
        tellOfFailure("couchjobs.url=" + url);
        tellOfFailure("couchjobs.url=http://127.0.0.1:1/db", "couchjobs.nodes[0]=" + url);
        tellOfLog();
        assertNoSecretIsTold();
    }

    @Test
    void a_token_that_is_none_is_refused_without_showing_it() {
        tellOfFailure("couchjobs.url=http://127.0.0.1:1/db", "couchjobs.token=" + CANARY + " is none");
        tellOfLog();
        assertNoSecretIsTold();
    }

    private static ConfigurableApplicationContext start(String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--couchjobs.dashboard.user=you",
                "--couchjobs.dashboard.password=" + CANARY,
                "--couchjobs.dashboard.token=" + CANARY,
                "--management.endpoints.web.exposure.include=*",
                "--management.endpoint.health.show-details=always",
                "--spring.main.banner-mode=off",
                "--spring.jmx.enabled=false"));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        return SpringApplication.run(ShopApplication.class, arguments.toArray(String[]::new));
    }

    private void askActuator(ConfigurableApplicationContext shop, List<String> endpoints)
            throws IOException, InterruptedException {
        String port = shop.getEnvironment().getProperty("local.server.port");
        for (String endpoint : endpoints) {
            URI url = URI.create("http://127.0.0.1:" + port + "/actuator" + endpoint);
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString());
            told.add(answer.statusCode() + " " + endpoint + " " + answer.headers() + answer.body());
        }
    }

    private void tellOfFailure(String... properties) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        CouchjobsAutoConfiguration.class,
                        CouchjobsTelemetryAutoConfiguration.class,
                        CouchjobsHealthAutoConfiguration.class,
                        CouchjobsDashboardAutoConfiguration.class))
                .withPropertyValues(properties)
                .run(context -> {
                    assertThat(context).hasFailed();
                    StringWriter trace = new StringWriter();
                    context.getStartupFailure().printStackTrace(new PrintWriter(trace));
                    told.add(trace.toString());
                });
    }

    private void tellOfLog() {
        synchronized (log) {
            assertThat(log.list).anyMatch(event -> event.getLoggerName().startsWith("org.springframework"));
            log.list.forEach(event -> {
                told.add(event.getLoggerName() + " " + event.getFormattedMessage());
                told.add(String.valueOf(ThrowableProxyUtil.asString(event.getThrowableProxy())));
            });
        }
    }

    private void assertNoSecretIsTold() {
        for (String secret : List.of(CANARY, base64("me:" + CANARY), base64("you:" + CANARY))) {
            assertThat(told).noneMatch(text -> text.contains(secret));
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
