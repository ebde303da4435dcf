package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.testing.Certificates;
import io.couchjobs.testing.RawServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.ssl.SSLContextBuilder;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {

    private static final String WELCOME = "HTTP/1.1 200 OK\r\nContent-Length: 37\r\nConnection: close\r\n\r\n"
            + "{\"couchdb\":\"Welcome\",\"version\":\"3.5\"}";

    @TempDir
    static Path dir;

    private static Certificates certificates;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = Certificates.make(dir);
    }

    @Test
    void a_certificate_of_an_unknown_authority_is_refused_before_anything_is_sent() throws Exception {
        try (RawServer wire = encrypted(RawServer.sendAndCut(WELCOME));
                CouchServer server = connect(CouchConfig.builder(wire.url()))) {
            CouchUnreachableException failure =
                    catchThrowableOfType(CouchUnreachableException.class, () -> server.database("db")
                            .put(Json.object().put("_id", "x")));

            assertThat(failure).hasMessageContaining("no safe connection");
            assertThat(failure.outcomeUnknown()).isFalse();
            assertThat(wire.requests()).isZero();
        }
    }

    @Test
    void a_certificate_authority_of_ones_own_can_be_trusted() throws Exception {
        try (RawServer wire = encrypted(RawServer.sendAndCut(WELCOME));
                CouchServer added = connect(CouchConfig.builder(wire.url()).caCertificate(certificates.pem()));
                CouchServer only = connect(CouchConfig.builder(wire.url()).caCertificateOnly(certificates.pem()))) {
            assertThat(added.info().version()).isEqualTo("3.5");
            assertThat(only.info().version()).isEqualTo("3.5");
        }
    }

    @Test
    void a_certificate_for_another_name_is_refused_unless_nothing_is_checked() throws Exception {
        try (RawServer wire = encrypted(RawServer.sendAndCut(WELCOME))) {
            URI otherName = URI.create(wire.url().toString().replace("localhost", "127.0.0.1"));
            try (CouchServer careful = connect(CouchConfig.builder(otherName).caCertificate(certificates.pem()));
                    CouchServer careless =
                            connect(CouchConfig.builder(otherName).insecure(true))) {
                assertThatThrownBy(careful::info).isInstanceOf(CouchUnreachableException.class);
                assertThat(careless.info().version()).isEqualTo("3.5");
            }
        }
    }

    @Test
    void an_expired_certificate_is_refused_and_the_error_says_whose_it_is_and_since_when(@TempDir Path other)
            throws Exception {
        Certificates expired = Certificates.expired(other);
        try (RawServer wire = encrypted(expired, RawServer.sendAndCut(WELCOME));
                CouchServer server = connect(CouchConfig.builder(wire.url()).caCertificateOnly(expired.pem()))) {
            CouchUnreachableException failure =
                    catchThrowableOfType(CouchUnreachableException.class, () -> server.database("db")
                            .put(Json.object().put("_id", "x")));

            String yesterday = LocalDate.now(ZoneOffset.UTC).minusDays(1).toString();
            assertThat(failure)
                    .hasMessageContaining("no safe connection to " + wire.url())
                    .hasMessageContaining("the server's certificate expired at " + yesterday);
            assertThat(failure.outcomeUnknown()).isFalse();
            assertThat(wire.requests()).isZero();

            Path itself = expired.pemOfServer(other.resolve("itself.pem"));
            try (CouchServer pinned = connect(CouchConfig.builder(wire.url()).caCertificateOnly(itself))) {
                assertThat(pinned.info().version()).isEqualTo("3.5");
            }
        }
    }

    @Test
    void an_encrypted_feed_can_be_closed_while_it_is_silent() throws Exception {
        String rows = RawServer.chunkedHeader() + RawServer.chunk("{\"seq\":\"1\",\"id\":\"a\",\"changes\":[]}\n");
        try (RawServer wire = encrypted(RawServer.sendAndFallSilent(rows));
                CouchServer server = connect(CouchConfig.builder(wire.url()).caCertificate(certificates.pem()))) {
            ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous());
            assertThat(feed.next(Duration.ofSeconds(30)).orElseThrow().id()).isEqualTo("a");
            CompletableFuture<Optional<Change>> waiting =
                    CompletableFuture.supplyAsync(() -> feed.next(Duration.ofMinutes(1)));

            feed.close();

            assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
        }
    }

    private static CouchServer connect(CouchConfig.Builder config) {
        return CouchServer.connect(config.build());
    }

    private static RawServer encrypted(RawServer.Script script) throws Exception {
        return encrypted(certificates, script);
    }

    private static RawServer encrypted(Certificates shown, RawServer.Script script) throws Exception {
        char[] password = Certificates.PASSWORD.toCharArray();
        SSLContext context = SSLContextBuilder.create()
                .loadKeyMaterial(shown.keyStore(), password, password)
                .build();
        return RawServer.on(serverSocket(context), "https", script);
    }

    private static java.net.ServerSocket serverSocket(SSLContext context) throws IOException {
        return context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }
}
