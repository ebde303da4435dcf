package io.couchjobs.couch;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.head;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.put;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.couch.ClientParts;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.LastingPort;
import io.couchjobs.testing.OwnPauses;
import io.couchjobs.testing.RawServer;
import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultsTest {

    @RegisterExtension
    static final WireMockExtension WIRE = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    private static final ObjectNode DOC = Json.object().put("_id", "x");

    private final List<Duration> pauses = new ArrayList<>();
    private CouchServer server;
    private CouchDatabase db;

    @BeforeEach
    void connect() {
        server = connect(URI.create(WIRE.baseUrl()));
        db = server.database("db");
    }

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"EMPTY_RESPONSE", "CONNECTION_RESET_BY_PEER", "MALFORMED_RESPONSE_CHUNK"})
    void a_read_is_sent_again_when_its_connection_broke(Fault fault) {
        first(aResponse().withFault(fault), okJson("{\"_id\":\"x\"}"));

        assertThat(db.get("x")).isPresent();

        assertThat(pauses).hasSize(1);
        WIRE.verify(2, anyRequestedFor(anyUrl()));
    }

    @ParameterizedTest
    @EnumSource(names = {"EMPTY_RESPONSE", "CONNECTION_RESET_BY_PEER", "MALFORMED_RESPONSE_CHUNK"})
    void a_query_is_a_read_although_it_is_a_post(Fault fault) {
        first(aResponse().withFault(fault), okJson("{\"rows\":[]}"));

        assertThat(db.view(ViewQuery.allDocs()).rows()).isEmpty();

        WIRE.verify(2, postRequestedFor(urlEqualTo("/db/_all_docs")));
    }

    @ParameterizedTest
    @EnumSource
    void a_write_is_never_sent_twice_and_its_end_is_unknown(Fault fault) {
        always(aResponse().withFault(fault));

        CouchException bulk = failure(() -> db.bulkDocs(List.of(DOC)));
        CouchException put = failure(() -> db.put(DOC));

        assertThat(bulk.outcomeUnknown()).isTrue();
        assertThat(put.outcomeUnknown()).isTrue();
        assertThat(pauses).isEmpty();
        WIRE.verify(2, anyRequestedFor(anyUrl()));
    }

    @Test
    void a_read_that_keeps_failing_is_given_up() {
        always(aResponse().withFault(Fault.EMPTY_RESPONSE));

        CouchException failure = failure(() -> db.get("x"));

        assertThat(failure).isInstanceOf(CouchUnreachableException.class);
        assertThat(failure.outcomeUnknown()).isFalse();
        WIRE.verify(4, anyRequestedFor(anyUrl()));
    }

    @Test
    void a_write_that_found_no_server_was_not_carried_out() throws IOException {
        try (CouchServer nobody = connect(URI.create("http://127.0.0.1:" + LastingPort.find()));
                CouchServer nowhere = connect(URI.create("http://no-such-host.invalid"))) {
            CouchException refused = failure(() -> nobody.database("db").put(DOC));
            CouchException unknown = failure(() -> nowhere.database("db").put(DOC));

            assertThat(refused).isInstanceOf(CouchUnreachableException.class).hasMessageContaining("no connection");
            assertThat(refused.outcomeUnknown()).isFalse();
            assertThat(unknown).isInstanceOf(CouchUnreachableException.class).hasMessageContaining("unknown host");
            assertThat(unknown.outcomeUnknown()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 503})
    void a_busy_server_is_left_alone_for_as_long_as_it_asks(int status) {
        first(aResponse().withStatus(status).withHeader("Retry-After", "2"), okJson("{\"_id\":\"x\"}"));

        assertThat(db.get("x")).isPresent();

        assertThat(pauses).singleElement().satisfies(pause -> assertThat(pause)
                .isCloseTo(Duration.ofSeconds(2), Duration.ofMillis(500)));
    }

    @ParameterizedTest
    @CsvSource({"os_process_error,'{exit_status,1}'", "epipe,'{gen_server,call}'"})
    void a_view_is_asked_again_when_the_process_that_runs_its_code_has_ended(String error, String reason) {
        first(serverFailed(error, reason), okJson("{\"total_rows\":0,\"offset\":0,\"rows\":[]}"));

        assertThat(db.view(ViewQuery.of("jobs", "pending")).rows()).isEmpty();
    }

    @Test
    void a_document_of_which_the_server_tells_when_its_javascript_was_killed_is_not_told_again() {
        always(serverFailed("epipe", "{gen_server,call, [<0.2005.0>, {prompt,[map_doc, {[{iban,DE372}]}]}]}"));

        assertThat(failure(() -> db.view(ViewQuery.of("jobs", "pending"))))
                .hasMessageEndingWith("500 epipe: a call inside of the server failed");
    }

    @Test
    void a_new_database_whose_shards_a_node_does_not_have_yet_is_asked_again() {
        first(serverFailed("internal_server_error", "No DB shards could be opened."), okJson("{\"_id\":\"x\"}"));

        assertThat(db.get("x")).isPresent();
    }

    /** As CouchDB 3.5 does when one copy of a document knows only the end of its history. */
    @Test
    void a_leaf_that_a_cluster_shows_twice_is_one_with_the_longer_history() {
        String shortly = "{'_id':'x','_rev':'3-c','_revisions':{'start':3,'ids':['c','b']}}";
        String wholly = "{'_id':'x','_rev':'3-c','_revisions':{'start':3,'ids':['c','b','a']}}";
        String other = "{'_id':'x','_rev':'2-e','_revisions':{'start':2,'ids':['e','a']}}";
        String shown = Stream.of(other, shortly, wholly, shortly)
                .map(leaf -> "{'ok':" + leaf + "}")
                .collect(Collectors.joining(",", "[", "]"));
        always(okJson(shown.replace('\'', '"')));
        assertThat(db.leavesWithHistories("x")).containsExactly(Jobs.json(other), Jobs.json(wholly));

        always(okJson(("{'results':[{'id':'x','docs':" + shown + "}]}").replace('\'', '"')));
        assertThat(db.leavesOfAll(List.of("x")))
                .containsExactly(Optional.of(List.of(Jobs.json(other), Jobs.json(wholly))));
    }

    @Test
    void a_head_request_that_fails_without_telling_why_is_sent_again() {
        first(aResponse().withStatus(500), okJson(""));

        assertThat(db.exists()).isTrue();
    }

    @Test
    void a_design_document_is_looked_for_again_when_the_server_fails() {
        first(aResponse().withStatus(500), okJson(""));

        try (DesignDocuments designs = new DesignDocuments(db)) {
            assertThat(designs.push()).as("all are there").isEmpty();
        }
    }

    @Test
    void a_design_document_waits_for_a_node_that_has_not_heard_of_the_new_database_yet() {
        String unknown = "{\"error\":\"not_found\",\"reason\":\"Database does not exist.\"}";
        WIRE.stubFor(head(anyUrl()).willReturn(aResponse().withStatus(404)));
        WIRE.stubFor(put(anyUrl())
                .inScenario("once")
                .whenScenarioStateIs(Scenario.STARTED)
                .willSetStateTo("later")
                .willReturn(aResponse().withStatus(404).withBody(unknown)));
        WIRE.stubFor(put(anyUrl())
                .inScenario("once")
                .whenScenarioStateIs("later")
                .willReturn(okJson("{\"ok\":true,\"id\":\"x\",\"rev\":\"1-a\"}").withStatus(201)));

        try (DesignDocuments designs = new DesignDocuments(db)) {
            assertThat(designs.push()).isNotEmpty();
        }
    }

    @Test
    void a_view_whose_code_takes_too_long_is_not_asked_again() {
        always(serverFailed("os_process_error", "OS process timed out."));

        assertThat(failure(() -> db.view(ViewQuery.of("jobs", "pending")))).hasMessageEndingWith("timed out.");

        WIRE.verify(1, anyRequestedFor(anyUrl()));
    }

    @Test
    void a_server_that_is_busy_for_long_is_an_error_that_says_for_how_long() {
        always(aResponse().withStatus(503).withHeader("Retry-After", "3600"));

        CouchException failure = failure(() -> db.get("x"));

        assertThat(failure.status()).isEqualTo(503);
        assertThat(failure.retryAfter()).contains(Duration.ofHours(1));
        WIRE.verify(1, anyRequestedFor(anyUrl()));
    }

    @Test
    void a_write_that_the_server_refused_for_too_many_requests_is_sent_again() {
        first(
                aResponse().withStatus(429).withBody("{\"error\":\"too_many_requests\",\"reason\":\"wait\"}"),
                okJson("[{\"ok\":true,\"id\":\"x\",\"rev\":\"1-a\"}]"));

        assertThat(db.bulkDocs(List.of(DOC))).containsExactly(new WriteResult.Stored("x", "1-a"));

        WIRE.verify(2, anyRequestedFor(anyUrl()));
    }

    @Test
    void a_server_that_refuses_too_many_requests_for_longer_than_a_minute_is_an_error() {
        always(aResponse().withStatus(429).withHeader("Retry-After", "61"));

        CouchException failure = failure(() -> db.bulkDocs(List.of(DOC)));

        assertThat(failure.status()).isEqualTo(429);
        assertThat(failure.outcomeUnknown()).isFalse();
        WIRE.verify(1, anyRequestedFor(anyUrl()));
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 502, 503, 504})
    void the_end_of_a_write_is_unknown_when_the_server_failed_on_it(int status) {
        always(aResponse().withStatus(status).withBody("<html>Bad gateway</html>"));

        CouchException failure = failure(() -> db.bulkDocs(List.of(DOC)));

        assertThat(failure.status()).isEqualTo(status);
        assertThat(failure.outcomeUnknown()).isTrue();
        assertThat(failure).hasMessageContaining("not an error as CouchDB reports it");
        WIRE.verify(1, anyRequestedFor(anyUrl()));
    }

    @Test
    void a_failure_whose_reason_only_the_log_of_the_server_knows_says_so() {
        always(aResponse()
                .withStatus(500)
                .withHeader("X-Couch-Request-ID", "7a1")
                .withBody("Internal Server Error"));

        assertThat(failure(() -> db.bulkDocs(List.of(DOC))))
                .hasMessageEndingWith("(request 7a1; the server's log says why: a full disk, for one)");
        always(serverFailed("os_process_error", "OS process timed out."));
        assertThat(failure(() -> db.bulkDocs(List.of(DOC)))).hasMessageEndingWith("OS process timed out.");
    }

    @Test
    void a_silent_server_is_not_waited_for_longer_than_configured_and_not_asked_twice() throws Exception {
        try (RawServer silent = RawServer.playing(RawServer.sendAndFallSilent(""));
                CouchServer couch = CouchServer.connect(CouchConfig.builder(silent.url())
                        .responseTimeout(Duration.ofMillis(100))
                        .build())) {
            CouchException read = failure(() -> couch.database("db").get("x"));
            CouchException write = failure(() -> couch.database("db").put(DOC));

            assertThat(read).isInstanceOf(CouchUnreachableException.class).hasMessageContaining("silent");
            assertThat(read.outcomeUnknown()).isFalse();
            assertThat(write.outcomeUnknown()).isTrue();
            TestQueue.until(() -> silent.requests() >= 2);
            assertThat(silent.requests()).isEqualTo(2);
        }
    }

    /** CouchDB 3.5 does so when it loses the nodes that a request needs. */
    @ParameterizedTest
    @ValueSource(ints = {412, 500})
    void a_failure_that_is_answered_twice_is_not_taken_for_the_answer_to_the_next_request(int status) throws Exception {
        String failure =
                "HTTP/1.1 " + status + " Failed\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n"
                        + "{\"error\":\"nodedown\"}";
        try (RawServer twice = RawServer.playing(RawServer.sendAndFallSilent(failure + failure));
                CouchServer couch =
                        CouchServer.connect(CouchConfig.builder(twice.url()).build())) {
            for (int requests = 1; requests <= 3; requests++) {
                tryToPut(couch);
                assertThat(twice.requests()).as("connections").isEqualTo(requests);
            }
        }
    }

    private static void tryToPut(CouchServer couch) {
        try {
            assertThat(couch.database("db").put(DOC)).isInstanceOf(WriteResult.Refused.class);
        } catch (CouchException unknown) {
            assertThat(unknown.status()).isEqualTo(500);
        }
    }

    @Test
    void an_answer_about_another_document_than_the_one_that_was_read_or_written_is_none() {
        always(okJson("[{\"ok\":{\"_id\":\"other\",\"_rev\":\"1-a\"}}]"));
        assertThatThrownBy(() -> db.leaves("x")).hasMessageContaining("not the document that was asked for");
        always(okJson("{\"ok\":true,\"id\":\"other\",\"rev\":\"1-a\"}").withStatus(201));
        assertThatThrownBy(() -> db.put(DOC))
                .isInstanceOfSatisfying(CouchException.class, unknown -> assertThat(unknown.outcomeUnknown())
                        .isTrue())
                .hasMessageContaining("other");
    }

    @Test
    void a_write_without_a_quorum_is_accepted_and_not_stored() {
        always(okJson("[{\"ok\":true,\"id\":\"x\",\"rev\":\"1-a\",\"accepted\":true},"
                        + "{\"ok\":true,\"id\":\"y\",\"rev\":\"1-b\"},"
                        + "{\"id\":\"z\",\"error\":\"conflict\",\"reason\":\"Document update conflict.\"},"
                        + "{\"id\":\"u\",\"error\":\"internal_server_error\",\"reason\":\"No DB shards\"}]")
                .withStatus(202));

        assertThat(db.bulkDocs(List.of(doc("x"), doc("y"), doc("z"), doc("u"))))
                .containsExactly(
                        new WriteResult.Accepted("x", "1-a"),
                        new WriteResult.Stored("y", "1-b"),
                        new WriteResult.Conflict("z"),
                        new WriteResult.Refused("u", 500, "internal_server_error", "No DB shards"));
        always(okJson("{\"ok\":true,\"id\":\"x\",\"rev\":\"1-a\"}").withStatus(202));
        assertThat(db.put(DOC)).isEqualTo(new WriteResult.Accepted("x", "1-a"));
    }

    @Test
    void a_bulk_write_asks_for_no_other_quorum_than_the_servers() {
        always(okJson("[{\"ok\":true,\"id\":\"x\",\"rev\":\"1-a\"}]").withStatus(201));

        db.bulkDocs(List.of(DOC));

        WIRE.verify(1, postRequestedFor(urlEqualTo("/db/_bulk_docs")));
    }

    @Test
    void nothing_to_write_or_read_is_not_sent() {
        assertThat(db.bulkDocs(List.of())).isEmpty();
        assertThat(db.getAll(List.of())).isEmpty();
        WIRE.verify(0, anyRequestedFor(anyUrl()));
    }

    @Test
    void a_redirect_is_an_error_and_not_followed() {
        always(aResponse().withStatus(302).withHeader("Location", WIRE.baseUrl() + "/elsewhere"));

        CouchException read = failure(() -> db.get("x"));

        assertThat(read.status()).isEqualTo(302);
        assertThat(read).hasMessageContaining("redirected");
        assertThat(failure(() -> db.put(DOC)).status()).isEqualTo(302);
        WIRE.verify(0, anyRequestedFor(urlEqualTo("/elsewhere")));
    }

    @Test
    void an_error_names_the_servers_own_number_of_the_request() {
        always(okJson("{\"error\":\"oops\",\"reason\":\"very\"}")
                .withStatus(418)
                .withHeader("X-Couch-Request-ID", "abc123"));

        CouchException failure = failure(() -> db.get("x"));

        assertThat(failure).hasMessage("GET /db/x: 418 oops: very (request abc123)");
        assertThat(failure.requestId()).contains("abc123");
        assertThat(failure.status()).isEqualTo(418);
        assertThat(failure.error()).isEqualTo("oops");
        assertThat(failure.reason()).isEqualTo("very");
        assertThat(failure.method()).isEqualTo("GET");
        assertThat(failure.path()).isEqualTo("/db/x");
    }

    @Test
    void a_server_may_live_below_a_path() {
        always(okJson("{\"_id\":\"a/b\"}"));
        try (CouchServer behindProxy = connect(URI.create(WIRE.baseUrl() + "/couch/"))) {
            behindProxy.database("a+b/c").get("a/b");
        }

        WIRE.verify(1, anyRequestedFor(urlEqualTo("/couch/a%2Bb%2Fc/a%2Fb")));
    }

    @Test
    void an_interrupt_ends_the_attempts_and_stays() {
        always(aResponse().withFault(Fault.EMPTY_RESPONSE));
        CouchConfig config = CouchConfig.builder(URI.create(WIRE.baseUrl())).build();
        try (CouchServer interrupted = CouchServer.connect(config, ClientParts.of(config, new OwnPauses(pause -> {
            throw new InterruptedException();
        })))) {
            failure(() -> interrupted.database("db").get("x"));
        }

        assertThat(Thread.interrupted()).isTrue();
        WIRE.verify(1, anyRequestedFor(anyUrl()));
    }

    @Test
    void a_closed_server_sends_nothing() {
        server.close();

        assertThatThrownBy(() -> db.put(DOC))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this client is closed");
        WIRE.verify(0, anyRequestedFor(anyUrl()));
    }

    private CouchServer connect(URI url) {
        CouchConfig config = CouchConfig.builder(url).build();
        return CouchServer.connect(config, ClientParts.of(config, new OwnPauses(pauses::add)));
    }

    private static void always(ResponseDefinitionBuilder response) {
        WIRE.stubFor(any(anyUrl()).willReturn(response));
    }

    private static ResponseDefinitionBuilder serverFailed(String error, String reason) {
        return aResponse().withStatus(500).withBody("{\"error\":\"" + error + "\",\"reason\":\"" + reason + "\"}");
    }

    private static void first(ResponseDefinitionBuilder response, ResponseDefinitionBuilder then) {
        WIRE.stubFor(any(anyUrl())
                .inScenario("once")
                .whenScenarioStateIs(Scenario.STARTED)
                .willSetStateTo("later")
                .willReturn(response));
        WIRE.stubFor(
                any(anyUrl()).inScenario("once").whenScenarioStateIs("later").willReturn(then));
    }

    private static CouchException failure(Runnable call) {
        CouchException failure = catchThrowableOfType(CouchException.class, call::run);
        assertThat(failure).isNotNull();
        return failure;
    }

    private static ObjectNode doc(String id) {
        return Json.object().put("_id", id);
    }
}
