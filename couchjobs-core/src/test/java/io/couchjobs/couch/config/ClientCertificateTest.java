package io.couchjobs.couch.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.engine.couch.FreshTls;
import io.couchjobs.testing.Certificates;
import io.couchjobs.testing.RawServer;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.apache.hc.core5.ssl.SSLContextBuilder;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A server that lets in only whoever shows a certificate it knows. */
class ClientCertificateTest {

    private static final String WELCOME = "HTTP/1.1 200 OK\r\nContent-Length: 37\r\nConnection: close\r\n\r\n"
            + "{\"couchdb\":\"Welcome\",\"version\":\"3.5\"}";
    private static final String KEY_PASSWORD = "canary-of-the-key";
    private static final Secret SECRET = Secret.of(KEY_PASSWORD);

    @TempDir
    static Path dir;

    private static Certificates server;
    private static Certificates known;
    private static Certificates stranger;

    @BeforeAll
    static void makeCertificates() throws Exception {
        server = Certificates.make(dir);
        known = Certificates.ofClient(dir, "worker");
        stranger = Certificates.ofClient(dir, "stranger");
        known.pemKey(dir.resolve("plain.key"), null);
        known.pemKey(dir.resolve("encrypted.key"), KEY_PASSWORD);
        Files.writeString(
                dir.resolve("both.pem"), Files.readString(known.pem()) + Files.readString(dir.resolve("plain.key")));
    }

    static Stream<ClientCertificate> everyWayToHaveOne() {
        return Stream.of(
                ClientCertificate.of(known.pem(), dir.resolve("plain.key")),
                ClientCertificate.of(known.pem(), dir.resolve("encrypted.key")).password(SECRET),
                ClientCertificate.of(dir.resolve("both.pem")),
                ClientCertificate.of(known.keyStore()).password(Secret.of(Certificates.PASSWORD)));
    }

    @ParameterizedTest
    @MethodSource("everyWayToHaveOne")
    void a_client_is_let_in_by_its_certificate(ClientCertificate certificate) throws Exception {
        try (RawServer wire = askingForCertificates();
                CouchServer client = connect(wire.url(), certificate)) {
            assertThat(client.info().version()).isEqualTo("3.5");
            assertThat(certificate.toString()).doesNotContain(KEY_PASSWORD).doesNotContain(Certificates.PASSWORD);
        }
    }

    @Test
    void without_a_certificate_or_with_one_that_is_not_known_nothing_gets_through() throws Exception {
        ClientCertificate unknown =
                ClientCertificate.of(stranger.keyStore()).password(Secret.of(Certificates.PASSWORD));
        try (RawServer wire = askingForCertificates();
                CouchServer nobody = CouchServer.connect(config(wire.url()).build());
                CouchServer other = connect(wire.url(), unknown)) {
            assertThatThrownBy(nobody::info).isInstanceOf(CouchUnreachableException.class);
            assertThatThrownBy(other::info).isInstanceOf(CouchUnreachableException.class);
            assertThat(wire.requests()).isZero();
        }
    }

    @Test
    void a_new_certificate_is_shown_by_the_next_connection(@TempDir Path rotated) throws Exception {
        Path certificate = Files.copy(stranger.pem(), rotated.resolve("now.pem"));
        Path key = stranger.pemKey(rotated.resolve("now.key"), null);
        try (RawServer wire = askingForCertificates();
                CouchServer client = connect(wire.url(), ClientCertificate.of(certificate, key))) {
            assertThatThrownBy(client::info).isInstanceOf(CouchUnreachableException.class);

            known.pemKey(key, null);
            Files.copy(known.pem(), certificate, StandardCopyOption.REPLACE_EXISTING);

            assertThat(client.info().version()).isEqualTo("3.5");
        }
    }

    @Test
    void a_new_certificate_authority_is_trusted_by_the_next_connection(@TempDir Path rotated) throws Exception {
        Path authority = Files.copy(known.pem(), rotated.resolve("ca.pem"));
        try (RawServer wire = askingForCertificates();
                CouchServer client = CouchServer.connect(CouchConfig.builder(wire.url())
                        .caCertificateOnly(authority)
                        .clientCertificate(ClientCertificate.of(dir.resolve("both.pem")))
                        .build())) {
            assertThatThrownBy(client::info).isInstanceOf(CouchUnreachableException.class);

            Files.copy(server.pem(), authority, StandardCopyOption.REPLACE_EXISTING);

            assertThat(client.info().version()).isEqualTo("3.5");
        }
    }

    @Test
    void while_a_new_certificate_cannot_be_used_the_old_one_is_and_that_is_said_once(@TempDir Path rotated)
            throws Exception {
        Path certificate = Files.copy(known.pem(), rotated.resolve("now.pem"));
        Path key = Files.copy(dir.resolve("plain.key"), rotated.resolve("now.key"));
        try (RawServer wire = askingForCertificates();
                CouchServer client = connect(wire.url(), ClientCertificate.of(certificate, key));
                Log log = new Log()) {
            client.info();
            Files.copy(stranger.pem(), certificate, StandardCopyOption.REPLACE_EXISTING); // its key comes later
            client.info();
            client.info();
            assertThat(log.lines)
                    .singleElement()
                    .asString()
                    .contains(key + " is not that of the certificate in " + certificate);

            Files.delete(certificate);
            client.info();
            client.info();
            assertThat(log.lines).hasSize(2);

            Files.copy(known.pem(), certificate);
            client.info();
            assertThat(log.lines).hasSize(3).element(2).asString().contains("used from now on");
        }
    }

    @Test
    void whether_a_key_is_encrypted_can_be_told_before() {
        assertThat(everyWayToHaveOne().map(ClientCertificate::isEncrypted)).containsExactly(false, true, false, true);
        assertThat(ClientCertificate.of(dir.resolve("not-there")).isEncrypted()).isFalse();
    }

    @Test
    void each_wrong_key_or_certificate_is_reported_without_a_secret() throws Exception {
        Path key = dir.resolve("encrypted.key");
        Path old = Files.writeString(
                dir.resolve("old.key"), "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");
        Path damaged = Files.writeString(
                dir.resolve("damaged.key"), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        Secret wrong = Secret.of("canary-wrong");

        assertRefused(ClientCertificate.of(known.pem(), key), "is encrypted, and no password was given");
        assertRefused(ClientCertificate.of(known.pem(), key).password(wrong), "cannot be decrypted with this password");
        assertRefused(ClientCertificate.of(known.keyStore()).password(wrong), "password was incorrect");
        assertRefused(ClientCertificate.of(known.pem(), old), "openssl pkcs8 -topk8");
        assertRefused(ClientCertificate.of(known.pem(), damaged), "of none of the kinds");
        assertRefused(ClientCertificate.of(known.pem()), "no private key in");
        assertRefused(
                ClientCertificate.of(stranger.pem(), dir.resolve("plain.key")), "is not that of the certificate in");
        assertRefused(ClientCertificate.of(known.keyStore(), key), "is no PEM file");
        assertRefused(ClientCertificate.of(dir.resolve("plain.key")), "no certificate in");
        assertRefused(new ClientCertificate(dir.resolve("not-there"), Optional.empty(), Optional.empty()), "not-there");
    }

    private static void assertRefused(ClientCertificate certificate, String why) {
        assertThatThrownBy(() -> connect(URI.create("https://localhost:1"), certificate))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the client certificate cannot be used: ")
                .hasMessageContaining(why)
                .hasMessageNotContaining("canary")
                .hasStackTraceContaining("KeyFile");
    }

    private static CouchServer connect(URI url, ClientCertificate certificate) {
        return CouchServer.connect(config(url).clientCertificate(certificate).build());
    }

    private static CouchConfig.Builder config(URI url) {
        return CouchConfig.builder(url).caCertificateOnly(server.pem());
    }

    private static RawServer askingForCertificates() throws Exception {
        char[] password = Certificates.PASSWORD.toCharArray();
        SSLContext context = SSLContextBuilder.create()
                .loadKeyMaterial(server.keyStore(), password, password)
                .loadTrustMaterial(known.keyStore(), password)
                .build();
        SSLServerSocket socket = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        socket.setNeedClientAuth(true);
        return RawServer.on(socket, "https", RawServer.sendAndCut(WELCOME));
    }

    /** What is logged about changed files. */
    private static final class Log extends AppenderBase<ILoggingEvent> implements AutoCloseable {
        private final Logger logger = (Logger) LoggerFactory.getLogger(FreshTls.class);
        private final List<String> lines = new CopyOnWriteArrayList<>();

        Log() {
            start();
            logger.setLevel(Level.INFO);
            logger.addAppender(this);
        }

        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getFormattedMessage());
        }

        @Override
        public void close() {
            logger.detachAppender(this);
            logger.setLevel(null);
        }
    }
}
