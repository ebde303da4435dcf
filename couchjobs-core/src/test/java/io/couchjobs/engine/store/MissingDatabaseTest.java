package io.couchjobs.engine.store;

import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.get;
import static com.github.tomakehurst.wiremock.client.WireMock.head;
import static com.github.tomakehurst.wiremock.client.WireMock.jsonResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.put;
import static com.github.tomakehurst.wiremock.client.WireMock.putRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.status;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.Site;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that does not have the queue's database, as a node that lost its data does not have it. */
class MissingDatabaseTest {
    private final WireMockServer wire =
            new WireMockServer(WireMockConfiguration.options().dynamicPort());
    private CouchServer server;

    @BeforeEach
    void start() {
        wire.start();
        wire.stubFor(head(urlEqualTo("/jobs")).willReturn(status(404)));
        wire.stubFor(put(urlEqualTo("/jobs")).willReturn(jsonResponse("{\"ok\":true}", 201)));
        configured(3);
        databases("[]");
        server = CouchServer.connect(
                CouchConfig.builder(URI.create(wire.baseUrl())).build());
    }

    @AfterEach
    void stop() {
        server.close();
        wire.stop();
    }

    @Test
    void a_database_that_is_there_is_not_created() {
        wire.stubFor(head(urlEqualTo("/jobs")).willReturn(status(200)));
        assertThat(create(false)).isFalse();
        wire.verify(0, putRequestedFor(anyUrl()));
    }

    @Test
    void a_database_that_another_node_has_is_not_created() {
        members("a@one", "b@two", "c@three");
        onNode("a@one", 404, "missing");
        onNode("b@two", 200, "");
        for (boolean wanted : new boolean[] {false, true}) {
            assertThatThrownBy(() -> create(wanted))
                    .isInstanceOf(CouchJobsException.class)
                    .hasMessageContaining("b@two of the same cluster has it");
        }
        wire.verify(0, putRequestedFor(anyUrl()));
    }

    @Test
    void it_is_not_created_while_less_than_a_majority_of_the_nodes_says_that_it_is_new() {
        members("a@one", "b@two", "c@three");
        onNode("a@one", 404, "missing");
        onNode("b@two", 404, "no such node: b@two");
        onNode("c@three", 500, "timeout");
        assertThatThrownBy(() -> create(true)).hasMessageContaining("only 1 of the 3 nodes");
        wire.verify(0, putRequestedFor(anyUrl()));
        onNode("c@three", 404, "deleted");
        assertThat(create(true)).isTrue();
    }

    @Test
    void a_program_that_starts_creates_nothing_on_an_empty_server_that_may_have_lost_its_cluster() {
        members("couchdb@10.0.0.3");
        assertThatThrownBy(() -> create(false))
                .hasMessageContaining("couchdb@10.0.0.3")
                .hasMessageContaining("run couchjobs init");
        wire.verify(0, putRequestedFor(anyUrl()));
        assertThat(create(true)).as("a person wants it").isTrue();
    }

    @Test
    void a_program_that_starts_creates_it_on_a_server_of_its_own() {
        members("couchdb@127.0.0.1");
        assertThat(create(false)).as("named by nobody").isTrue();
        members("couchdb@10.0.0.3");
        databases("[\"_users\"]");
        assertThat(create(false)).as("not empty").isTrue();
        databases("[]");
        configured(1);
        assertThat(create(false)).as("configured for one node").isTrue();
        configured(3);
        members("a@one", "b@two", "c@three");
        assertThat(create(false)).as("nobody tells what the nodes have").isTrue();
        wire.stubFor(get(urlEqualTo("/_membership")).willReturn(status(404)));
        assertThat(create(false)).as("no cluster").isTrue();
    }

    private boolean create(boolean wanted) {
        return NewDatabase.createIfMissing(server.database("jobs"), new Site("north", true), wanted);
    }

    private void members(String... nodes) {
        String names = "[\"" + String.join("\",\"", nodes) + "\"]";
        wire.stubFor(get(urlEqualTo("/_membership"))
                .willReturn(jsonResponse("{\"all_nodes\":" + names + ",\"cluster_nodes\":" + names + "}", 200)));
    }

    private void onNode(String node, int status, String reason) {
        wire.stubFor(get(urlEqualTo("/_node/" + node.replace("@", "%40") + "/_dbs/jobs"))
                .willReturn(jsonResponse("{\"error\":\"not_found\",\"reason\":\"" + reason + "\"}", status)));
    }

    private void configured(int copies) {
        wire.stubFor(get(urlEqualTo("/_node/_local/_config/cluster"))
                .willReturn(jsonResponse("{\"n\":\"" + copies + "\",\"q\":\"2\"}", 200)));
    }

    private void databases(String names) {
        wire.stubFor(get(urlEqualTo("/_all_dbs")).willReturn(jsonResponse(names, 200)));
    }
}
