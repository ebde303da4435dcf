package io.couchjobs.couch.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.testing.Certificates;
import io.couchjobs.testing.LastingPort;
import io.couchjobs.testing.RawServer;
import io.couchjobs.testing.TestProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.ssl.SSLContextBuilder;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A proxy on the way to the server. */
class HttpProxyTest {

    private static final String WELCOME = "HTTP/1.1 200 OK\r\nContent-Length: 37\r\nConnection: close\r\n\r\n"
            + "{\"couchdb\":\"Welcome\",\"version\":\"3.5\"}";
    private static final String CREDENTIALS = "Proxy-Authorization: Basic "
            + Base64.getEncoder().encodeToString("me:p@ss".getBytes(StandardCharsets.UTF_8));

    @TempDir
    static Path dir;

    private static Certificates certificates;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = Certificates.make(dir);
    }

    @Test
    void requests_and_the_feed_go_through_it_with_its_credentials_from_the_first_one_on() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                TestProxy proxy = TestProxy.to(couch.url());
                CouchServer server = connect(couch.url(), withPassword(proxy))) {
            CouchDatabase db = server.database("db");
            db.createIfMissing();
            db.put(Json.object().put("_id", "x"));
            try (ChangesFeed feed = db.changes(ChangesRequest.continuous())) {
                assertThat(feed.next(Duration.ofSeconds(30)).orElseThrow().id()).isEqualTo("x");
            }

            assertThat(proxy.heads()).hasSizeGreaterThanOrEqualTo(2).allSatisfy(head -> assertThat(head)
                    .contains(" " + couch.url().resolve("db"))
                    .contains(CREDENTIALS));
        }
    }

    @Test
    void the_proxy_of_an_encrypted_connection_sees_only_the_servers_name_and_the_server_sees_no_proxy_header()
            throws Exception {
        try (RawServer wire = encrypted();
                TestProxy proxy = TestProxy.to(wire.url());
                CouchServer server = CouchServer.connect(CouchConfig.builder(wire.url())
                        .caCertificateOnly(certificates.pem())
                        .auth(new Auth.Basic("ada", Secret.of("secret")))
                        .proxy(withPassword(proxy))
                        .build())) {
            assertThat(server.info().version()).isEqualTo("3.5");

            assertThat(proxy.heads()).singleElement().satisfies(head -> assertThat(head)
                    .startsWith("CONNECT localhost:" + wire.url().getPort() + " ")
                    .contains(CREDENTIALS)
                    .doesNotContain("\nAuthorization"));
            assertThat(wire.heads()).singleElement().satisfies(head -> assertThat(head)
                    .contains("Authorization: Basic")
                    .doesNotContain("Proxy-"));
        }
    }

    @Test
    void a_servers_certificate_is_checked_behind_it_too() throws Exception {
        try (RawServer wire = encrypted();
                TestProxy proxy = TestProxy.to(wire.url());
                CouchServer server = connect(wire.url(), HttpProxy.at(proxy.url()))) {
            assertThatThrownBy(server::info)
                    .isInstanceOf(CouchUnreachableException.class)
                    .hasMessageContaining("no safe connection");
            assertThat(wire.heads()).isEmpty();
        }
    }

    @Test
    void a_request_that_the_proxy_refuses_was_not_sent_and_the_refusal_is_no_answer_of_the_server() throws Exception {
        for (String refusal : List.of("407 Proxy Authentication Required", "403 Forbidden", "502 Bad Gateway")) {
            try (TestProxy proxy = TestProxy.refusing(refusal);
                    CouchServer server = connect(URI.create("https://couch.invalid"), withPassword(proxy))) {
                CouchUnreachableException failure =
                        catchThrowableOfType(CouchUnreachableException.class, () -> server.database("db")
                                .put(Json.object().put("_id", "x")));

                assertThat(failure).hasMessageContaining("the proxy let nothing through (it answered " + refusal);
                assertThat(failure.outcomeUnknown()).isFalse();
            }
        }
        try (TestProxy proxy = TestProxy.refusing("407 Proxy Authentication Required");
                CouchServer server = connect(URI.create("http://couch.invalid"), HttpProxy.at(proxy.url()))) {
            assertThatThrownBy(server::info).hasMessageContaining("the proxy let nothing through (it answered 407");
        }
    }

    @Test
    void a_proxy_that_is_away_is_told_by_its_own_address() throws Exception {
        URI nobody = URI.create("http://me:canary@127.0.0.1:" + LastingPort.find());
        try (CouchServer server = connect(URI.create("http://couch.invalid"), HttpProxy.at(nobody))) {
            assertThatThrownBy(server::info)
                    .isInstanceOf(CouchUnreachableException.class)
                    .hasMessageContaining("no connection (Connect to http://127.0.0.1:" + nobody.getPort())
                    .hasMessageNotContaining("canary");
        }
    }

    @Test
    void servers_that_are_excepted_are_reached_without_it() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                TestProxy proxy = TestProxy.refusing("403 Forbidden");
                CouchServer server =
                        connect(couch.url(), HttpProxy.at(proxy.url()).except(List.of("localhost", "127.0.0.0/8")))) {
            assertThat(server.info().version()).isNotEmpty();
            assertThat(proxy.heads()).isEmpty();
        }
    }

    @Test
    void a_url_that_is_not_of_an_http_proxy_is_refused_without_showing_its_password() {
        assertRefused("https://me:canary@proxy", "must start with http://");
        assertRefused("socks5://me:canary@proxy", "must start with http:// or https://");
        assertRefused("http://me:canary@proxy:99999", "port of the proxy's URL is out of range");
        assertRefused("http://me:canary@proxy?x", "must not have a query");
        assertRefused("http:me:canary", "no usable host name");
        assertRefused("http://me:1/canary@proxy", "the proxy's URL has an @ behind its host");
        assertThat(HttpProxy.at(URI.create("http://me:canary@proxy:3128/")))
                .hasToString("HttpProxy[url=http://proxy:3128, "
                        + "credentials=Optional[Basic[user=me, password=***]], except=[]]");
    }

    private static void assertRefused(String url, String why) {
        assertThatThrownBy(() -> HttpProxy.at(URI.create(url)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why)
                .hasMessageNotContaining("canary");
    }

    private static HttpProxy withPassword(TestProxy proxy) {
        return HttpProxy.at(URI.create(proxy.url().toString().replace("http://", "http://me:p%40ss@")));
    }

    private static CouchServer connect(URI url, HttpProxy proxy) {
        return CouchServer.connect(CouchConfig.builder(url).proxy(proxy).build());
    }

    private static RawServer encrypted() throws Exception {
        char[] password = Certificates.PASSWORD.toCharArray();
        SSLContext context = SSLContextBuilder.create()
                .loadKeyMaterial(certificates.keyStore(), password, password)
                .build();
        return RawServer.on(socket(context), "https", RawServer.sendAndCut(WELCOME));
    }

    private static ServerSocket socket(SSLContext context) throws IOException {
        return context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }
}
