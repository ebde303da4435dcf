package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.Revision;
import io.couchjobs.embedded.view.QueryArgs;
import io.couchjobs.embedded.view.ViewRow;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A view is answered by one copy, from its own index. */
class ClusterViewTest {
    private final VirtualTime time = new VirtualTime();
    private final Cluster cluster = new Cluster(time, RankedDelays.nearestFirst(), Cluster.Settings.DEFAULTS);
    private final Client client = new Client(time, cluster);

    @AfterEach
    void close() {
        cluster.close();
    }

    private void addView() {
        String body = "{\"views\":{\"all\":{\"map\":\"function (doc) { emit(doc.what, doc._conflicts || null); }\"}}}";
        Edit design = new Edit(
                "_design/d", List.of(), false, Json.parseObject(body.getBytes(StandardCharsets.UTF_8), "an object"));
        CompletableFuture<WriteAnswer> stored = new CompletableFuture<>();
        cluster.node(0).write(List.of(design), stored::complete);
        assertThat(client.await(stored).status()).isEqualTo(201);
        time.pass(Duration.ofSeconds(1));
    }

    private List<String> keys(int node) {
        return query(node).stream().map(row -> Json.parse(row.key()).asText()).toList();
    }

    private List<ViewRow> query(int node) {
        CompletableFuture<ViewAnswer> answer = new CompletableFuture<>();
        cluster.node(node).view("_design/d", "all", QueryArgs.of(Map.of(), null), answer::complete);
        return client.await(answer).rows();
    }

    @Test
    void each_node_shows_what_its_copy_has() {
        addView();
        Revision base = client.written(201, 0, null, "waiting");
        time.pass(Duration.ofSeconds(30));
        CompletableFuture<WriteRow> minority = client.send(0, base, "minority");
        CompletableFuture<WriteRow> majority = client.send(2, base, "majority");
        assertThat(client.await(minority).status()).isEqualTo(202);
        assertThat(client.await(majority).status()).isEqualTo(201);
        assertThat(keys(0)).containsExactly("minority");
        assertThat(keys(2)).containsExactly("majority");
        time.pass(Duration.ofSeconds(30));
        assertThat(keys(0)).isEqualTo(keys(1)).isEqualTo(keys(2)).hasSize(1);
    }

    @Test
    void a_view_over_conflicts_sees_both_leaves_after_replication() {
        addView();
        Revision base = client.written(201, 0, null, "waiting");
        time.pass(Duration.ofSeconds(30));
        client.send(0, base, "one", row -> {});
        client.send(2, base, "other", row -> {});
        time.pass(Duration.ofSeconds(30));
        assertThat(query(1)).singleElement().satisfies(row -> assertThat(
                        Json.parse(row.value()).path(0).asText())
                .isEqualTo(client.leaves(1).get(1).toString()));
    }

    @Test
    void an_unknown_view_is_not_found() {
        CompletableFuture<ViewAnswer> answer = new CompletableFuture<>();
        cluster.node(0).view("_design/none", "all", QueryArgs.of(Map.of(), null), answer::complete);
        assertThat(client.await(answer).error()).isNotNull();
    }
}
