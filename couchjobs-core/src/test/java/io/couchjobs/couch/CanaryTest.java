package io.couchjobs.couch;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.jsonResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A secret that sings when it gets out. */
@Isolated("sets the levels of loggers")
class CanaryTest {

    private static final String CANARY = "canary-7d1f";
    private static final List<String> LOUD = List.of("io.couchjobs", "org.apache.hc", "org.ektorp", "org.apache.http");

    @RegisterExtension
    static final WireMockExtension WIRE = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    private final Collection<String> told = new ConcurrentLinkedQueue<>();
    private final Recorder recorder = new Recorder(told);

    static Stream<CouchConfig> everyWayToHoldASecret() {
        String url = WIRE.baseUrl();
        return Stream.of(
                CouchConfig.builder(URI.create(url.replace("http://", "http://me:" + CANARY + "@")))
                        .build(),
                with(new Auth.Basic("me", Secret.of(CANARY))),
                with(new Auth.Session("me", Secret.of(CANARY))),
                with(new Auth.Bearer(() -> CANARY)));
    }

    @BeforeEach
    void listen() {
        recorder.start();
        for (String name : LOUD) {
            Logger logger = (Logger) LoggerFactory.getLogger(name);
            logger.setLevel(Level.TRACE);
            logger.setAdditive(false);
            logger.addAppender(recorder);
        }
    }

    @AfterEach
    void stopListening() {
        for (String name : LOUD) {
            Logger logger = (Logger) LoggerFactory.getLogger(name);
            logger.detachAppender(recorder);
            logger.setAdditive(true);
            logger.setLevel(null);
        }
    }

    @ParameterizedTest
    @MethodSource("everyWayToHoldASecret")
    void no_secret_gets_into_a_log_a_message_or_a_text(CouchConfig config) {
        told.add(config.toString());
        told.add(config.auth().toString());
        try (CouchServer server = CouchServer.connect(config, Means.of(config, pause -> {}))) {
            told.add(server.toString());
            told.add(server.database("db").toString());
            WIRE.stubFor(post("/_session")
                    .willReturn(okJson("{}").withHeader("Set-Cookie", "AuthSession=" + CANARY + "-cookie")));
            use(server.database("db"));
            WIRE.stubFor(any(anyUrl()).willReturn(okJson("{\"_id\":\"x\",\"rows\":[]}")));
            use(server.database("db"));
            WIRE.stubFor(any(anyUrl()).willReturn(jsonResponse("{\"error\":\"unauthorized\"}", 401)));
            use(server.database("db"));
            WIRE.stubFor(any(anyUrl()).willReturn(okJson("").withFault(Fault.CONNECTION_RESET_BY_PEER)));
            use(server.database("db"));
        }

        String base64 = Base64.getEncoder().encodeToString(("me:" + CANARY).getBytes(StandardCharsets.UTF_8));
        assertThat(told).anyMatch(line -> line.contains("/db/x")); // the recorder does hear something
        assertThat(told).anyMatch(line -> line.startsWith("org.apache.hc"));
        assertThat(told).noneMatch(line -> line.contains(CANARY) || line.contains(base64));
    }

    private void use(CouchDatabase db) {
        tell(() -> db.get("x"));
        tell(() -> db.put(Json.object().put("_id", "x")));
        tell(() -> db.view(ViewQuery.allDocs()));
        tell(() -> db.changes(ChangesRequest.continuous()).close());
        tell(() -> db.ektorp().contains("x"));
    }

    private void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            told.add(trace.toString());
        }
    }

    private static CouchConfig with(Auth auth) {
        return CouchConfig.builder(URI.create(WIRE.baseUrl())).auth(auth).build();
    }

    /** Writes down all that is logged. */
    private static final class Recorder extends AppenderBase<ILoggingEvent> {

        private final Collection<String> told;

        Recorder(Collection<String> told) {
            this.told = told;
        }

        @Override
        protected void append(ILoggingEvent event) {
            told.add(event.getLoggerName() + " " + event.getFormattedMessage());
            if (event.getThrowableProxy() != null) {
                told.add(ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
        }
    }
}
