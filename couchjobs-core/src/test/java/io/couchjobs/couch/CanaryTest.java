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
import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.ClientCertificate;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.HttpProxy;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.engine.couch.ClientParts;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.testing.OwnPauses;
import io.couchjobs.testing.RawServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A secret that sings when it gets out. */
@Isolated("sets the levels of loggers")
class CanaryTest {

    private static final String CANARY = "canary-7d1f";
    private static final Auth.Basic PROXY_USER = new Auth.Basic("proxy", Secret.of(CANARY));
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
                with(new Auth.Bearer(() -> CANARY)),
                with(new HttpProxy(URI.create(url), Optional.of(PROXY_USER), List.of())),
                with(HttpProxy.at(URI.create(url.replace("http://", "http://proxy:" + CANARY + "@")))));
    }

    /** Where nobody is, or nobody who can be trusted. */
    static Stream<CouchConfig> everyWayToMissTheServer() throws IOException {
        String nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = "127.0.0.1:" + socket.getLocalPort();
        }
        String noTls = WIRE.baseUrl().replace("http://", "");
        return Stream.of("http://" + nobody, "https://" + nobody, "http://couch.invalid", "https://" + noTls)
                .map(URI::create)
                .flatMap(url -> Stream.of(
                        CouchConfig.builder(url).auth(new Auth.Basic("me", Secret.of(CANARY))),
                        CouchConfig.builder(url).auth(new Auth.Session("me", Secret.of(CANARY))),
                        CouchConfig.builder(url)
                                .proxy(HttpProxy.at(URI.create("http://proxy:" + CANARY + "@" + nobody))),
                        CouchConfig.builder(url)
                                .proxy(HttpProxy.at(URI.create("http://proxy:" + CANARY + "@" + noTls)))))
                .map(CouchConfig.Builder::build);
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
        tellAbout(config);
        try (CouchServer server = impatient(config)) {
            told.add(server.toString());
            told.add(server.database("db").toString());
            WIRE.stubFor(post("/_session")
                    .willReturn(okJson("{}").withHeader("Set-Cookie", "AuthSession=" + CANARY + "-cookie")));
            use(server.database("db"));
            WIRE.stubFor(any(anyUrl()).willReturn(okJson("{\"_id\":\"x\",\"rows\":[]}")));
            use(server.database("db"));
            WIRE.stubFor(any(anyUrl()).willReturn(jsonResponse("{\"error\":\"unauthorized\"}", 401)));
            use(server.database("db"));
            for (int status : List.of(403, 407, 500, 503)) {
                WIRE.stubFor(any(anyUrl()).willReturn(jsonResponse("{\"error\":\"broken\"}", status)));
                use(server.database("db"));
            }
            WIRE.stubFor(any(anyUrl()).willReturn(okJson("").withFault(Fault.CONNECTION_RESET_BY_PEER)));
            use(server.database("db"));
        }
        assertNoSecretIsTold();
    }

    @ParameterizedTest
    @MethodSource("everyWayToMissTheServer")
    void no_secret_is_told_when_there_is_no_server(CouchConfig config) {
        tellAbout(config);
        try (CouchServer server = impatient(config)) {
            use(server.database("db"));
        }
        assertNoSecretIsTold();
    }

    @Test
    void no_secret_is_told_when_the_server_or_the_proxy_is_silent() throws IOException {
        try (RawServer silent = RawServer.playing((out, end) -> end.await())) {
            String url = silent.url().toString();
            HttpProxy proxy = HttpProxy.at(URI.create(url.replace("http://", "http://proxy:" + CANARY + "@")));
            Stream.of(
                            CouchConfig.builder(URI.create(url.replace("http://", "http://me:" + CANARY + "@"))),
                            CouchConfig.builder(silent.url()).auth(new Auth.Session("me", Secret.of(CANARY))),
                            CouchConfig.builder(silent.url()).auth(new Auth.Bearer(() -> CANARY)),
                            CouchConfig.builder(URI.create("http://couch.invalid"))
                                    .proxy(proxy),
                            CouchConfig.builder(URI.create("https://couch.invalid"))
                                    .proxy(proxy))
                    .map(config ->
                            config.responseTimeout(Duration.ofMillis(200)).build())
                    .forEach(this::tellOfSilence);
        }
        assertThat(told).anyMatch(line -> line.contains("the server was silent for too long"));
        assertNoSecretIsTold();
    }

    private static CouchServer impatient(CouchConfig config) {
        return CouchServer.connect(config, ClientParts.of(config, new OwnPauses(pause -> {})));
    }

    private void tellOfSilence(CouchConfig config) {
        tellAbout(config);
        try (CouchServer server = impatient(config)) {
            CouchDatabase db = server.database("db");
            tell(() -> db.get("x"));
            tell(() -> db.put(Json.object().put("_id", "x")));
        }
    }

    @Test
    void no_secret_is_told_of_an_address_that_is_none() {
        for (String url : List.of(
                "http://me:%s/x@host/db",
                "http://me:%s@ho st/db",
                "http:me:%s@host/db",
                "http://me:%s@host",
                "ftp://me:%s@host/db",
                "http://me:%s%%zz@host/db")) {
            String given = url.formatted(CANARY);
            tell(() -> JobQueue.open(given));
            tell(() -> JobQueue.open("http://127.0.0.1:1/db", given));
        }
        assertThat(told).hasSize(12).noneMatch(line -> line.contains(CANARY));
    }

    private void tellAbout(CouchConfig config) {
        told.add(config.toString());
        told.add(config.auth().toString());
        config.proxy().ifPresent(proxy -> told.add(proxy.toString()));
        told.add(new ClientCertificate(Path.of("file"), Optional.empty(), Optional.of(Secret.of(CANARY))).toString());
    }

    private void assertNoSecretIsTold() {
        assertThat(told)
                .anyMatch(line -> line.contains("/db/x") || line.contains("/_session")); // it does hear something
        assertThat(told).anyMatch(line -> line.startsWith("org.apache.hc"));
        for (String secret : List.of(CANARY, base64("me:" + CANARY), base64("proxy:" + CANARY))) {
            assertThat(told).noneMatch(line -> line.contains(secret));
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private void use(CouchDatabase db) {
        tell(() -> db.get("x"));
        tell(() -> db.put(Json.object().put("_id", "x")));
        tell(() -> db.view(ViewQuery.allDocs()));
        tell(() -> db.changes(ChangesRequest.continuous()).close());
        tell(() -> {
            try (DesignDocuments designs = new DesignDocuments(db)) {
                designs.push();
            }
        });
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

    private static CouchConfig with(HttpProxy proxy) {
        return CouchConfig.builder(URI.create(WIRE.baseUrl())).proxy(proxy).build();
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
