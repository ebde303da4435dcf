package io.couchjobs.couch.config;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.absent;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.equalToJson;
import static com.github.tomakehurst.wiremock.client.WireMock.get;
import static com.github.tomakehurst.wiremock.client.WireMock.getRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.jsonResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.engine.couch.Json;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuthTest {

    private static final String UNAUTHORIZED =
            "{\"error\":\"unauthorized\",\"reason\":\"You are not authorized to access this db.\"}";
    private static final String STORED = "[{\"ok\":true,\"id\":\"x\",\"rev\":\"1-a\"}]";

    @RegisterExtension
    static final WireMockExtension WIRE = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    @Test
    void basic_credentials_go_with_the_first_request() {
        WIRE.stubFor(any(anyUrl()).willReturn(okJson("{\"_id\":\"x\"}")));

        read(new Auth.Basic("jörg", Secret.of("a:b+c")));

        String expected = Base64.getEncoder().encodeToString("jörg:a:b+c".getBytes(StandardCharsets.UTF_8));
        WIRE.verify(1, anyRequestedFor(anyUrl()));
        WIRE.verify(1, anyRequestedFor(anyUrl()).withHeader("Authorization", equalTo("Basic " + expected)));
    }

    @Test
    void credentials_in_the_url_are_taken_out_of_it() {
        WIRE.stubFor(any(anyUrl()).willReturn(okJson("{\"_id\":\"x\"}")));
        URI url = URI.create(WIRE.baseUrl().replace("http://", "http://me%40home:p+%3A%2F@"));
        try (CouchServer server = CouchServer.connect(CouchConfig.builder(url).build())) {
            server.database("db").get("x");
        }

        String expected = Base64.getEncoder().encodeToString("me@home:p+:/".getBytes(StandardCharsets.UTF_8));
        WIRE.verify(1, anyRequestedFor(anyUrl()).withHeader("Authorization", equalTo("Basic " + expected)));
    }

    @Test
    void nobody_sends_no_credentials() {
        WIRE.stubFor(any(anyUrl()).willReturn(okJson("{\"_id\":\"x\"}")));

        read(new Auth.None());

        WIRE.verify(
                1,
                anyRequestedFor(anyUrl()).withHeader("Authorization", absent()).withHeader("Cookie", absent()));
    }

    @Test
    void a_session_logs_in_once_and_then_sends_its_cookie() {
        login("AuthSession=one; Version=1; Path=/; HttpOnly");
        WIRE.stubFor(any(urlEqualTo("/db/x")).willReturn(okJson("{\"_id\":\"x\"}")));
        try (CouchServer server = connect(session())) {
            server.database("db").get("x");
            server.database("db").get("x");
        }

        WIRE.verify(
                1,
                postRequestedFor(urlEqualTo("/_session"))
                        .withRequestBody(equalToJson("{\"name\":\"me\",\"password\":\"pw\"}"))
                        .withHeader("Authorization", absent()));
        WIRE.verify(2, getRequestedFor(urlEqualTo("/db/x")).withHeader("Cookie", equalTo("AuthSession=one")));
    }

    @Test
    void a_refused_cookie_is_renewed_and_even_a_write_sent_again_as_it_was_not_carried_out() {
        login("AuthSession=fresh");
        WIRE.stubFor(post("/db/_bulk_docs").willReturn(okJson(STORED).withStatus(201)));
        WIRE.stubFor(post("/db/_bulk_docs")
                .inScenario("expiry")
                .whenScenarioStateIs("Started")
                .willSetStateTo("expired")
                .willReturn(jsonResponse(UNAUTHORIZED, 401)));
        WIRE.stubFor(post("/db/_bulk_docs")
                .inScenario("expiry")
                .whenScenarioStateIs("expired")
                .willReturn(okJson(STORED).withStatus(201)));
        try (CouchServer server = connect(session())) {
            assertThat(server.database("db").bulkDocs(List.of(Json.object().put("_id", "x"))))
                    .hasSize(1);
        }

        WIRE.verify(2, postRequestedFor(urlEqualTo("/_session")));
        WIRE.verify(2, postRequestedFor(urlEqualTo("/db/_bulk_docs")));
    }

    @Test
    void a_session_that_is_refused_again_is_not_renewed_for_ever() {
        login("AuthSession=x");
        WIRE.stubFor(any(urlEqualTo("/db/x")).willReturn(jsonResponse(UNAUTHORIZED, 401)));

        assertThatThrownBy(() -> read(session())).isInstanceOf(CouchUnauthorizedException.class);

        WIRE.verify(2, getRequestedFor(urlEqualTo("/db/x")));
    }

    @Test
    void a_feed_is_opened_with_a_renewed_session_when_its_cookie_was_refused() {
        WIRE.stubFor(post("/_session")
                .inScenario("logins")
                .willSetStateTo("again")
                .willReturn(okJson("{}").withHeader("Set-Cookie", "AuthSession=old")));
        WIRE.stubFor(post("/_session")
                .inScenario("logins")
                .whenScenarioStateIs("again")
                .willReturn(okJson("{}").withHeader("Set-Cookie", "AuthSession=new")));
        WIRE.stubFor(get(urlPathEqualTo("/db/_changes")).willReturn(jsonResponse(UNAUTHORIZED, 401)));
        WIRE.stubFor(get(urlPathEqualTo("/db/_changes"))
                .withHeader("Cookie", equalTo("AuthSession=new"))
                .willReturn(okJson("{\"seq\":\"1\",\"id\":\"x\",\"changes\":[]}\n")));
        try (CouchServer server = connect(session());
                ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous())) {
            assertThat(feed.next(Duration.ofSeconds(30)).orElseThrow().id()).isEqualTo("x");
        }
    }

    @Test
    void a_wrong_password_is_said_to_be_wrong_without_showing_it() {
        WIRE.stubFor(post("/_session")
                .willReturn(jsonResponse(
                        "{\"error\":\"unauthorized\",\"reason\":\"Name or password is incorrect.\"}", 401)));

        assertThatThrownBy(() -> read(session()))
                .isInstanceOf(CouchUnauthorizedException.class)
                .hasMessage("POST /_session: 401 unauthorized: Name or password is incorrect.");
    }

    @Test
    void a_newer_cookie_in_any_answer_is_used_from_then_on() {
        login("AuthSession=one");
        WIRE.stubFor(any(urlEqualTo("/db/x"))
                .willReturn(okJson("{\"_id\":\"x\"}").withHeader("Set-Cookie", "AuthSession=two; Max-Age=600")));
        try (CouchServer server = connect(session())) {
            server.database("db").get("x");
            server.database("db").get("x");
        }

        WIRE.verify(1, getRequestedFor(urlEqualTo("/db/x")).withHeader("Cookie", equalTo("AuthSession=two")));
        WIRE.verify(1, postRequestedFor(urlEqualTo("/_session")));
    }

    @Test
    void a_bearer_token_is_read_again_when_it_is_refused() {
        WIRE.stubFor(any(anyUrl()).willReturn(jsonResponse(UNAUTHORIZED, 401)));
        WIRE.stubFor(
                any(anyUrl()).withHeader("Authorization", equalTo("Bearer new")).willReturn(okJson("{\"_id\":\"x\"}")));
        Deque<String> tokens = new ArrayDeque<>(List.of("old", "new\n"));
        try (CouchServer server = connect(new Auth.Bearer(tokens::remove))) {
            server.database("db").get("x");
            server.database("db").get("x");
        }

        assertThat(tokens).isEmpty();
        WIRE.verify(3, anyRequestedFor(anyUrl()));
    }

    @Test
    void a_bearer_token_that_stays_the_same_is_not_tried_again() {
        WIRE.stubFor(any(anyUrl()).willReturn(jsonResponse(UNAUTHORIZED, 401)));

        assertThatThrownBy(() -> read(new Auth.Bearer(() -> "same"))).isInstanceOf(CouchUnauthorizedException.class);

        WIRE.verify(1, anyRequestedFor(anyUrl()));
    }

    @Test
    void a_refused_write_of_one_document_is_told_from_a_refused_user() {
        WIRE.stubFor(any(anyUrl()).willReturn(jsonResponse(UNAUTHORIZED, 401)));
        CouchServer server = connect(new Auth.Basic("me", Secret.of("pw")));
        try (server) {
            assertThatThrownBy(() -> server.database("db").put(Json.object().put("_id", "x")))
                    .isInstanceOf(CouchUnauthorizedException.class);
        }
    }

    @Test
    void a_refused_request_whose_login_fails_too_gives_its_connection_back() {
        login("AuthSession=old");
        WIRE.stubFor(any(urlEqualTo("/db/x")).willReturn(jsonResponse(UNAUTHORIZED, 401)));
        CouchConfig config = CouchConfig.builder(URI.create(WIRE.baseUrl()))
                .auth(session())
                .maxConnections(2)
                .connectTimeout(Duration.ofSeconds(2)) // that long a request waits for a connection of its own
                .build();
        try (CouchServer server = CouchServer.connect(config)) {
            CouchDatabase db = server.database("db");
            assertThatThrownBy(() -> db.get("x")).isInstanceOf(CouchUnauthorizedException.class);
            WIRE.stubFor(post("/_session").willReturn(jsonResponse(UNAUTHORIZED, 401)));
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> db.get("x")).isInstanceOf(CouchUnauthorizedException.class);
            }
        }
    }

    @Test
    void a_token_that_cannot_be_read_again_is_kept_and_what_is_read_later_is_used() {
        WIRE.stubFor(any(anyUrl()).willReturn(jsonResponse(UNAUTHORIZED, 401)));
        WIRE.stubFor(
                any(anyUrl()).withHeader("Authorization", equalTo("Bearer new")).willReturn(okJson("{\"_id\":\"x\"}")));
        Deque<Supplier<String>> tokens = new ArrayDeque<>(List.of(
                () -> "old",
                () -> {
                    throw new IllegalStateException("no such file");
                },
                () -> "",
                () -> "new"));
        try (CouchServer server = connect(new Auth.Bearer(() -> tokens.remove().get()))) {
            CouchDatabase db = server.database("db");
            assertThatThrownBy(() -> db.get("x")).isInstanceOf(CouchUnauthorizedException.class);
            assertThatThrownBy(() -> db.get("x")).isInstanceOf(CouchUnauthorizedException.class);
            assertThat(db.get("x")).isPresent();
        }

        WIRE.verify(3, anyRequestedFor(anyUrl()).withHeader("Authorization", equalTo("Bearer old")));
    }

    @Test
    void a_token_that_was_read_for_one_node_holds_for_the_others() {
        WIRE.stubFor(any(anyUrl()).willReturn(okJson("{\"_id\":\"x\"}")));
        Deque<String> tokens = new ArrayDeque<>(List.of("only"));
        CouchConfig config = CouchConfig.builder(URI.create("http://127.0.0.1:" + WIRE.getPort()))
                .node(URI.create("http://localhost:" + WIRE.getPort()))
                .auth(new Auth.Bearer(tokens::remove))
                .build();
        try (CouchServer server = CouchServer.connect(config)) {
            CouchDatabase db = server.database("db");
            db.get("x");
            String asked = WIRE.getAllServeEvents().get(0).getRequest().getHost();
            WIRE.stubFor(any(anyUrl())
                    .withHost(equalTo(asked))
                    .willReturn(aResponse().withFault(Fault.CONNECTION_RESET_BY_PEER)));
            assertThat(db.get("x")).isPresent();
        }
    }

    /** The words are those of CouchDB 3.5.2. */
    @ParameterizedTest
    @CsvSource({
        "401, unauthorized, exp not in future",
        "401, unauthorized, Token missing sub claim.",
        "400, bad_request, Bad HMAC",
        "400, bad_request, Unknown kid",
        "400, bad_request, Malformed token"
    })
    void a_refused_token_is_told_from_a_refused_document(int status, String error, String reason) {
        String body = "{\"error\":\"" + error + "\",\"reason\":\"" + reason + "\"}";
        WIRE.stubFor(any(anyUrl()).willReturn(jsonResponse(body, status)));
        try (CouchServer server = connect(new Auth.Bearer(() -> "old"))) {
            CouchDatabase db = server.database("db");
            assertThatThrownBy(() -> db.put(Json.object().put("_id", "x")))
                    .isInstanceOf(CouchUnauthorizedException.class)
                    .hasMessage("PUT /db/x: " + status + " " + error + ": " + reason);
            assertThatThrownBy(() -> db.bulkDocs(List.of(Json.object().put("_id", "x"))))
                    .isInstanceOf(CouchUnauthorizedException.class);
            assertThatThrownBy(() -> db.changes(ChangesRequest.continuous()).close())
                    .isInstanceOf(CouchUnauthorizedException.class);
        }
    }

    private static void login(String cookie) {
        WIRE.stubFor(post("/_session").willReturn(okJson("{\"ok\":true}").withHeader("Set-Cookie", cookie)));
    }

    private static Auth session() {
        return new Auth.Session("me", Secret.of("pw"));
    }

    private static void read(Auth auth) {
        try (CouchServer server = connect(auth)) {
            server.database("db").get("x");
        }
    }

    private static CouchServer connect(Auth auth) {
        return CouchServer.connect(
                CouchConfig.builder(URI.create(WIRE.baseUrl())).auth(auth).build());
    }
}
