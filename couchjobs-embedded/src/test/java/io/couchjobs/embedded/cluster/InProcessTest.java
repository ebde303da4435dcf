package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.http.InProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The HTTP face of a simulated node without HTTP: same paths, same answers, virtual time. */
class InProcessTest {
    private final VirtualTime time = new VirtualTime();
    private final Stage stage = new Stage(time);
    private final Cluster cluster =
            new Cluster(time, new RandomDelays(1, RandomDelays.Means.COUCHDB_3_5), Cluster.Settings.DEFAULTS);
    private final Wire wire = new Wire(time, cluster, Wire.Trouble.NONE, 1);
    private final List<String> seen = new ArrayList<>();

    @AfterEach
    void close() {
        cluster.close();
    }

    private String send(int node, String method, String target, String body) {
        try {
            InProcess.Response response = open(node, method, target, body);
            try (var in = response.body()) {
                return response.status() + " " + new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
            }
        } catch (IOException e) {
            return "broken: " + e.getMessage();
        }
    }

    private InProcess.Response open(int node, String method, String target, String body) throws IOException {
        InProcess server = new InProcess(new ClusterNode(node, cluster, wire, stage), stage);
        InProcess.Request request = new InProcess.Request(
                method,
                URI.create(target),
                Map.of("Content-Type", "application/json"),
                body.getBytes(StandardCharsets.UTF_8));
        return target.contains("feed=") ? server.follow(request) : server.send(request);
    }

    @Test
    void a_document_is_written_and_read_by_quorum() {
        stage.play("client", () -> {
            seen.add(send(0, "PUT", "/jobs/a", "{\"x\":1}").substring(0, 3));
            seen.add(send(1, "GET", "/jobs/a", ""));
            seen.add(send(1, "GET", "/jobs/b", "").substring(0, 3));
        });
        time.pass(Duration.ofSeconds(1));
        assertThat(seen).hasSize(3);
        assertThat(seen.get(0)).isEqualTo("201");
        assertThat(seen.get(1)).startsWith("200 {\"_id\":\"a\"").endsWith("\"x\":1}");
        assertThat(seen.get(2)).isEqualTo("404");
    }

    @Test
    void a_local_document_is_written_and_read_by_quorum() {
        stage.play("client", () -> {
            seen.add(send(0, "PUT", "/jobs/_local/a", "{\"x\":1}"));
            seen.add(send(1, "GET", "/jobs/_local/a", ""));
            seen.add(send(2, "DELETE", "/jobs/_local/a", ""));
            seen.add(send(1, "GET", "/jobs/_local/a", "").substring(0, 3));
        });
        time.pass(Duration.ofSeconds(1));
        assertThat(seen)
                .containsExactly(
                        "201 {\"ok\":true,\"id\":\"_local/a\",\"rev\":\"0-1\"}",
                        "200 {\"_id\":\"_local/a\",\"_rev\":\"0-1\",\"x\":1}",
                        "200 {\"ok\":true,\"id\":\"_local/a\",\"rev\":\"0-0\"}",
                        "404");
    }

    @Test
    void a_local_document_written_at_a_node_that_is_cut_off_is_answered_202_and_is_no_conflict_for_the_others() {
        cluster.isolate(0);
        stage.play("client", () -> {
            seen.add(send(0, "PUT", "/jobs/_local/a", "{\"x\":1}").substring(0, 3));
            seen.add(send(1, "PUT", "/jobs/_local/a", "{\"x\":2}").substring(0, 3));
            seen.add(send(0, "POST", "/jobs/_bulk_docs", "{\"docs\":[{\"_id\":\"_local/a\"}]}"));
        });
        time.pass(Duration.ofMinutes(5));
        assertThat(seen)
                .containsExactly(
                        "202", "201", "202 [{\"ok\":true,\"id\":\"_local/a\",\"rev\":\"0-1\",\"accepted\":true}]");
    }

    @Test
    void the_database_says_that_it_is_a_clusters() {
        stage.play("client", () -> seen.add(send(2, "GET", "/jobs", "")));
        time.pass(Duration.ofSeconds(1));
        assertThat(seen).singleElement().satisfies(info -> assertThat(info)
                .contains("\"cluster\":{\"q\":1,\"n\":3,\"w\":2,\"r\":2}"));
    }

    @Test
    void the_position_that_a_database_tells_is_one_to_follow_its_feed_from() {
        stage.play("client", () -> {
            send(0, "PUT", "/jobs/a", "{}");
            String info = send(0, "GET", "/jobs", "");
            String position = info.replaceAll(".*\"update_seq\":\"([^\"]*)\".*", "$1");
            send(0, "PUT", "/jobs/b", "{}");
            seen.add(send(0, "GET", "/jobs/_changes?since=" + position, ""));
        });
        time.pass(Duration.ofSeconds(1));
        assertThat(seen).singleElement().satisfies(changes -> assertThat(changes)
                .contains("\"id\":\"b\"")
                .doesNotContain("\"id\":\"a\""));
    }

    @Test
    void a_bulk_write_that_one_copy_took_is_marked_as_accepted() {
        cluster.stop(1);
        cluster.stop(2);
        stage.play("client", () -> seen.add(send(0, "POST", "/jobs/_bulk_docs", "{\"docs\":[{\"_id\":\"a\"}]}")));
        time.pass(Duration.ofSeconds(1));
        assertThat(seen).singleElement().satisfies(answer -> assertThat(answer)
                .startsWith("202 [{\"ok\":true,\"id\":\"a\"")
                .endsWith("\"accepted\":true}]"));
    }

    @Test
    void documents_by_keys_are_read_in_pages_and_backwards() {
        stage.play("client", () -> {
            send(0, "POST", "/jobs/_bulk_docs", "{\"docs\":[{\"_id\":\"a\"},{\"_id\":\"b\"}]}");
            String page = "/jobs/_all_docs?descending=true&skip=1&limit=1";
            seen.add(send(1, "POST", page, "{\"keys\":[\"a\",\"b\",\"c\"]}"));
        });
        time.pass(Duration.ofSeconds(1));
        assertThat(seen).singleElement().satisfies(rows -> assertThat(rows)
                .contains("\"id\":\"b\"")
                .doesNotContain("\"id\":\"a\"", "not_found"));
    }

    @Test
    void the_leaves_of_many_documents_are_read_by_quorum() {
        cluster.isolate(0);
        stage.play("client", () -> {
            send(0, "POST", "/jobs/_bulk_docs", "{\"docs\":[{\"_id\":\"a\",\"x\":1}]}");
            send(1, "POST", "/jobs/_bulk_docs", "{\"docs\":[{\"_id\":\"a\",\"x\":2}]}");
            seen.add(send(1, "POST", "/jobs/_bulk_get", "{\"docs\":[{\"id\":\"a\"},{\"id\":\"b\"}]}"));
            cluster.stop(2);
            cluster.heal(0);
            seen.add(send(1, "POST", "/jobs/_bulk_get", "{\"docs\":[{\"id\":\"a\"}]}"));
        });
        time.pass(Duration.ofMinutes(5));
        assertThat(seen).hasSize(2);
        assertThat(seen.get(0))
                .contains("\"x\":2")
                .doesNotContain("\"x\":1")
                .contains("{\"id\":\"b\",\"docs\":[{\"error\"");
        assertThat(seen.get(1)).contains("\"x\":2").contains("\"x\":1");
    }

    @Test
    void each_node_shows_in_views_what_its_copy_has_and_both_leaves_after_replication() {
        String map = "function (doc) { emit(doc.what, doc._conflicts || null); }";
        stage.play(
                "client", () -> send(0, "PUT", "/jobs/_design/d", "{\"views\":{\"all\":{\"map\":\"" + map + "\"}}}"));
        time.pass(Duration.ofSeconds(1));
        cluster.isolate(0);
        stage.play("client", () -> {
            seen.add(send(0, "PUT", "/jobs/a", "{\"what\":\"minority\"}").substring(0, 3));
            seen.add(send(2, "PUT", "/jobs/a", "{\"what\":\"majority\"}").substring(0, 3));
            List.of(0, 2).forEach(this::see);
        });
        time.pass(Duration.ofMinutes(5));
        cluster.heal(0);
        time.pass(Duration.ofMinutes(5));
        stage.play("client", () -> List.of(0, 1, 2).forEach(this::see));
        time.pass(Duration.ofSeconds(1));

        assertThat(seen).hasSize(7).startsWith("202", "201");
        assertThat(seen.get(2)).contains("\"total_rows\":1", "\"key\":\"minority\",\"value\":null");
        assertThat(seen.get(3)).contains("\"total_rows\":1", "\"key\":\"majority\",\"value\":null");
        assertThat(seen.get(4)).contains("\"total_rows\":1", "\"value\":[\"1-");
        assertThat(seen.subList(5, 7)).containsOnly(seen.get(4));
    }

    private void see(int node) {
        seen.add(send(node, "GET", "/jobs/_design/d/_view/all", ""));
    }

    @Test
    void a_dead_node_breaks_the_connection() {
        cluster.stop(0);
        stage.play("client", () -> seen.add(send(0, "GET", "/jobs/a", "")));
        time.pass(Duration.ofSeconds(1));
        assertThat(seen).containsExactly("broken: java.io.IOException: The node 0 gave no answer.");
    }

    @Test
    void a_continuous_feed_breaks_off_when_its_database_is_deleted_and_made_anew() {
        stage.play("reader", () -> {
            try (var in = open(1, "GET", "/jobs/_changes?feed=continuous&heartbeat=10000", "")
                    .body()) {
                in.readAllBytes();
                seen.add("ended in order");
            } catch (IOException e) {
                seen.add("broken");
            }
        });
        time.pass(Duration.ofSeconds(1));
        stage.play("operator", () -> {
            send(0, "DELETE", "/jobs", "");
            send(0, "PUT", "/jobs", "");
        });
        time.pass(Duration.ofSeconds(1));
        assertThat(seen).containsExactly("broken");
    }

    @Test
    void a_continuous_feed_delivers_what_is_written_through_another_node() {
        stage.play("reader", () -> {
            try (var in = open(1, "GET", "/jobs/_changes?feed=continuous&heartbeat=10000", "")
                    .body()) {
                byte[] row = new byte[4096];
                int length = in.read(row);
                seen.add(new String(row, 0, length, StandardCharsets.UTF_8));
            } catch (IOException e) {
                seen.add(String.valueOf(e.getMessage()));
            }
        });
        time.pass(Duration.ofSeconds(1));
        assertThat(seen).isEmpty();
        stage.play("writer", () -> send(0, "PUT", "/jobs/a", "{}"));
        time.pass(Duration.ofSeconds(1));
        assertThat(seen).singleElement().satisfies(row -> assertThat(row).contains("\"id\":\"a\""));
    }
}
