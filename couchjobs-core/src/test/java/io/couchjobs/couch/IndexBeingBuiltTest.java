package io.couchjobs.couch;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.get;
import static com.github.tomakehurst.wiremock.client.WireMock.jsonResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.testing.TestQueue;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is told of a view that does not answer in time. The answers are those of a CouchDB 3.5. */
class IndexBeingBuiltTest {
    @RegisterExtension
    static final WireMockExtension WIRE = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    private static final String TASKS = """
            [{"type":"indexer","database":"shards/00000000-7fffffff/a/b.1764000000","design_document":"_design/lists-1a",
              "changes_done":300,"total_changes":1000,"progress":30},
             {"type":"indexer","database":"shards/80000000-ffffffff/a/b.1764000000","design_document":"_design/lists-1a",
              "changes_done":560,"total_changes":1000,"progress":56},
             {"type":"indexer","database":"shards/00000000-7fffffff/a/b.1764000000","design_document":"_design/jobs-1a",
              "changes_done":1,"total_changes":1000,"progress":0},
             {"type":"indexer","database":"shards/00000000-7fffffff/b.1764000000","design_document":"_design/lists-1a",
              "changes_done":1,"total_changes":1000,"progress":0},
             {"type":"database_compaction","database":"shards/00000000-7fffffff/a/b.1764000000","changes_done":1,
              "total_changes":1000}]""";

    private CouchServer server;

    @BeforeEach
    void connect() {
        server = server(TestQueue.PATIENCE);
        WIRE.stubFor(get("/_active_tasks").willReturn(okJson(TASKS)));
    }

    private static CouchServer server(Duration responseTimeout) {
        return CouchServer.connect(CouchConfig.builder(URI.create(WIRE.baseUrl()))
                .responseTimeout(responseTimeout)
                .build());
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void the_index_is_named_with_how_far_it_is() {
        view(timedOut());
        info(true);
        assertThat(failure())
                .hasMessageContaining("building the index lists-1a of a/b: 43 %")
                .hasMessageContaining("ask again later");
    }

    @Test
    void the_index_is_named_when_the_client_gives_up_first() {
        view(okJson("{\"rows\":[]}").withFixedDelay(10_000));
        info(true);
        try (CouchServer impatient = server(Duration.ofSeconds(2))) {
            assertThat(failure(impatient)).hasMessageContaining("building the index lists-1a of a/b: 43 %");
        }
    }

    @Test
    void a_user_who_may_not_see_the_tasks_of_the_server_is_told_which_index_is_being_built() {
        view(timedOut());
        info(true);
        WIRE.stubFor(get("/_active_tasks").willReturn(jsonResponse("{\"error\":\"unauthorized\"}", 401)));
        assertThat(failure()).hasMessageContaining("building the index lists-1a of a/b;");
    }

    @Test
    void a_server_that_is_slow_for_another_reason_says_so_itself() {
        view(timedOut());
        info(false);
        assertThat(failure()).isNotInstanceOf(IndexBeingBuiltException.class).hasMessageContaining("500 timeout");
    }

    private CouchException failure() {
        return failure(server);
    }

    private static CouchException failure(CouchServer asked) {
        return catchThrowableOfType(
                CouchException.class, () -> asked.database("a/b").view(ViewQuery.of("lists-1a", "status")));
    }

    private static ResponseDefinitionBuilder timedOut() {
        return jsonResponse(
                "{\"error\":\"timeout\",\"reason\":\"The request could not be processed in a reasonable amount of time.\"}",
                500);
    }

    private static void view(ResponseDefinitionBuilder answer) {
        WIRE.stubFor(post("/a%2Fb/_design/lists-1a/_view/status").willReturn(answer));
    }

    private static void info(boolean updating) {
        WIRE.stubFor(get("/a%2Fb/_design/lists-1a/_info")
                .willReturn(aResponse()
                        .withHeader("Content-Type", "application/json")
                        .withBody("{\"view_index\":{\"updater_running\":" + updating + "}}")));
    }
}
