package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.embedded.protocol.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which nodes a cluster has, which of them a node sees, and where the copies of a database are, as CouchDB 3.5 says it. */
class MembershipTest {
    private static final String ALL = "[\"node1@127.0.0.1\",\"node2@127.0.0.1\",\"node3@127.0.0.1\"]";

    private final SimulatedCluster cluster = SimulatedCluster.start(3, 1);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void all_nodes_are_those_that_are_seen_and_cluster_nodes_those_that_belong_to_it() throws Exception {
        assertThat(ask(0, "/_membership").path("all_nodes")).hasToString(ALL);
        cluster.stop(2);
        JsonNode membership = ask(0, "/_membership");
        assertThat(membership.path("all_nodes")).hasToString("[\"node1@127.0.0.1\",\"node2@127.0.0.1\"]");
        assertThat(membership.path("cluster_nodes")).hasToString(ALL);
    }

    @Test
    void shards_name_the_nodes_that_have_a_copy_whether_they_are_there_or_not() throws Exception {
        cluster.stop(2);
        assertThat(ask(1, "/jobs/_shards")).hasToString("{\"shards\":{\"00000000-ffffffff\":" + ALL + "}}");
        assertThat(ask(1, "/missing/_shards").path("error").asText()).isEqualTo("not_found");
    }

    private JsonNode ask(int node, String path) throws Exception {
        URI url = cluster.urls().get(node).resolve(path);
        String answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        return Json.parse(answer.getBytes(StandardCharsets.UTF_8));
    }
}
