package io.couchjobs.couch;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.couch.ClientParts;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.OwnPauses;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that no CouchDB gives, or only one in trouble: they are not taken for what they look like. */
class BadAnswersTest {

    @RegisterExtension
    static final WireMockExtension WIRE = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    /** A character beyond the last one, and an order of bytes that no machine has. */
    private static final List<byte[]> NO_UTF_32 =
            List.of(new byte[] {0, 0, 0, '{', 1, 0x49, 0x4a, 0x4a}, new byte[] {0, '{', 0, 0, 0, '}', 0, 0});

    private final List<Duration> pauses = new ArrayList<>();
    private CouchServer server;
    private CouchDatabase db;

    @BeforeEach
    void connect() {
        CouchConfig config = CouchConfig.builder(URI.create(WIRE.baseUrl())).build();
        server = CouchServer.connect(config, ClientParts.of(config, new OwnPauses(pauses::add)));
        db = server.database("db");
    }

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 500})
    void an_answer_that_looks_like_utf_32_is_garbage_and_not_asked_for_again(int status) {
        for (byte[] garbage : NO_UTF_32) {
            WIRE.resetRequests();
            always(aResponse().withStatus(status).withBody(garbage));

            CouchException failure = failure(() -> db.get("x"));

            assertThat(failure).isNotInstanceOf(CouchUnreachableException.class);
            assertThat(failure.status()).isEqualTo(status);
            WIRE.verify(1, anyRequestedFor(anyUrl()));
        }
        assertThat(pauses).isEmpty();
    }

    @Test
    void revisions_that_fewer_copies_took_than_were_asked_for_are_not_taken_to_be_at_all_of_them() {
        List<ObjectNode> revisions =
                List.of(Jobs.json("{'_id':'x','_rev':'1-aa','_revisions':{'start':1,'ids':['aa']}}"));
        always(aResponse().withStatus(201).withBody("[]"));
        assertThat(db.bulkRevisions(revisions, 3)).isTrue();
        always(aResponse().withStatus(202).withBody("[]"));
        assertThat(db.bulkRevisions(revisions, 3)).isFalse();
    }

    @Test
    void json_in_another_encoding_than_utf_8_is_no_answer() {
        for (Charset other : List.of(StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE)) {
            always(aResponse().withBody("{\"_id\":\"x\"}".getBytes(other)));

            assertThat(failure(() -> db.get("x")).error()).isEqualTo("bad_answer");
        }
    }

    @Test
    void a_feed_that_looks_like_utf_32_is_garbage() {
        for (byte[] garbage : NO_UTF_32) {
            always(aResponse().withBody(garbage));
            try (ChangesFeed feed = db.changes(ChangesRequest.normal())) {
                CouchException failure = failure(() -> feed.next(Duration.ofSeconds(20)));
                assertThat(failure.error()).isEqualTo("bad_answer");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<html>Please log in</html>",
                "[]",
                "7",
                "{\"_id\":\"x\"} trailing",
                "{\"_id\":\"x\"}{\"_id\":\"y\"}",
                "{\"_id\":\"x\",\"_id\":\"y\"}",
                "{\"_id\":\"x\",\"deep\":{\"a\":1,\"a\":2}}",
            })
    void an_answer_that_is_not_the_json_it_should_be_is_refused(String body) {
        always(okJson(body));

        CouchException failure = failure(() -> db.get("x"));

        assertThat(failure.error()).isEqualTo("bad_answer");
        assertThat(failure).hasMessageStartingWith("GET /db/x: 200 bad_answer: the answer cannot be used: ");
        WIRE.verify(1, anyRequestedFor(anyUrl()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "[{\"ok\":true,\"id\":\"x\",\"rev\":\"1-a\"}]",
                "[{\"ok\":true,\"id\":\"y\",\"rev\":\"1-a\"},{\"ok\":true,\"id\":\"x\",\"rev\":\"1-a\"}]",
                "[{\"ok\":true,\"id\":\"x\"},{\"ok\":true,\"id\":\"y\",\"rev\":\"1-a\"}]",
                "[{\"ok\":true,\"id\":\"x\",\"rev\":\"1-a\"},7]",
                "{\"ok\":true}",
            })
    void bulk_results_that_do_not_fit_the_documents_are_refused_with_an_unknown_end(String body) {
        always(okJson(body).withStatus(201));

        CouchException failure = failure(() ->
                db.bulkDocs(List.of(Json.object().put("_id", "x"), Json.object().put("_id", "y"))));

        assertThat(failure.error()).isEqualTo("bad_answer");
        assertThat(failure.outcomeUnknown()).isTrue();
    }

    @Test
    void a_view_that_breaks_off_with_an_error_is_not_taken_for_a_whole_one() {
        always(okJson("{\"rows\":[{\"id\":\"a\",\"key\":1,\"value\":1}],\"error\":\"timeout\",\"reason\":\"slow\"}"));

        assertThat(failure(() -> db.view(ViewQuery.of("d", "v")))).hasMessageContaining("broke off: timeout");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"_id\":\"y\"}", "{\"ok\":true}", "{\"total_rows\":0,\"rows\":[]}"})
    void a_document_that_was_not_asked_for_is_refused(String answer) {
        always(okJson(answer));

        assertThat(failure(() -> db.get("x")).error()).isEqualTo("bad_answer");
    }

    @Test
    void documents_that_were_not_asked_for_are_refused() {
        always(okJson("{\"results\":[{\"id\":\"a\",\"docs\":[{\"ok\":{\"_id\":\"a\",\"_rev\":\"1-a\"}}]}]}"));

        assertThat(failure(() -> db.getAll(List.of("b"))).error()).isEqualTo("bad_answer");
    }

    @Test
    void a_document_that_could_not_be_read_is_not_taken_for_a_missing_one() {
        always(okJson(
                "{\"results\":[{\"id\":\"a\",\"docs\":[{\"error\":{\"error\":\"internal_fabric_error\",\"reason\":\"timeout\"}}]},"
                        + "{\"id\":\"b\",\"docs\":[{\"error\":{\"error\":\"not_found\"}}]}]}"));

        assertThat(failure(() -> db.getAll(List.of("a", "b")))).hasMessageContaining("timeout");
    }

    @Test
    void the_message_about_a_document_that_could_not_be_read_tells_the_trouble_and_not_its_content() {
        always(okJson(
                "{\"results\":[{\"id\":\"a\",\"docs\":[{\"ok\":{\"_id\":\"a\",\"_rev\":\"1-a\",\"data\":\"secret\"}},"
                        + "{\"error\":{\"error\":\"internal_fabric_error\",\"reason\":\"timeout\"}}]}]}"));

        assertThat(failure(() -> db.getAll(List.of("a"))))
                .hasMessageContaining("timeout")
                .hasMessageNotContaining("secret");
    }

    @Test
    void revisions_that_are_none_are_no_reason_to_fail_in_another_way() {
        always(
                okJson(
                        "{\"results\":[{\"id\":\"a\",\"docs\":[{\"ok\":{\"_id\":\"a\",\"_rev\":\"x\"}},{\"ok\":{\"_id\":\"a\"}}]}]}"));

        assertThat(db.getAll(List.of("a")).get(0)).isPresent();
    }

    @Test
    void leaves_that_the_server_could_not_read_are_not_missing() {
        WIRE.stubFor(any(anyUrl())
                .willReturn(okJson("{\"results\":[{\"id\":\"x\",\"docs\":[{\"error\":{\"id\":\"x\","
                        + "\"rev\":\"undefined\",\"error\":\"internal_fabric_error\",\"reason\":\"timeout\"}}]}]}")));
        assertThat(db.leavesOfAll(List.of("x"))).containsExactly(Optional.empty());
        CouchException other = catchThrowableOfType(CouchException.class, () -> db.leavesOfAll(List.of("y")));
        assertThat(other).hasMessageContaining("other documents");
        CouchException fewer = catchThrowableOfType(CouchException.class, () -> db.leavesOfAll(List.of("x", "y")));
        assertThat(fewer).hasMessageContaining("fewer documents");
    }

    private static void always(ResponseDefinitionBuilder response) {
        WIRE.stubFor(any(anyUrl()).willReturn(response));
    }

    private static CouchException failure(Runnable call) {
        CouchException failure = catchThrowableOfType(CouchException.class, call::run);
        assertThat(failure).isNotNull();
        return failure;
    }
}
