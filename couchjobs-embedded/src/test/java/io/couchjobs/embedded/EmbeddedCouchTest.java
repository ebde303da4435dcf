package io.couchjobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.Json;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedCouchTest {
    private EmbeddedCouch couch;
    private Client client;

    @BeforeEach
    void start() throws Exception {
        couch = EmbeddedCouch.inMemory().start();
        client = new Client(couch.url());
        client.send("PUT", "jobs");
    }

    @AfterEach
    void close() {
        couch.close();
    }

    @Test
    void a_document_is_read_as_it_was_written() throws Exception {
        assertThat(client.send("PUT", "jobs/a", "{\"data\":{\"n\":1}}").statusCode())
                .isEqualTo(201);
        assertThat(client.send("GET", "jobs/a").body()).contains("\"data\":{\"n\":1}");
    }

    @Test
    void a_database_can_be_there_from_the_first_answer_on(@TempDir Path folder) throws Exception {
        for (int start = 1; start <= 2; start++) {
            try (EmbeddedCouch server =
                    EmbeddedCouch.builder().directory(folder).database("queue").start()) {
                assertThat(new Client(server.url())
                                .send("PUT", "queue/" + start, "{}")
                                .statusCode())
                        .isEqualTo(201);
                assertThat(new Client(server.url()).send("GET", "queue").body()).contains("\"doc_count\":" + start);
            }
        }
    }

    @Test
    void a_flush_to_disk_is_answered_with_the_time_when_the_database_was_made() throws Exception {
        JsonNode database = Json.parse(client.send("GET", "jobs").body());
        JsonNode flushed =
                Json.parse(client.send("POST", "jobs/_ensure_full_commit", "{}").body());

        assertThat(flushed.path("instance_start_time")).isEqualTo(database.path("instance_start_time"));
    }

    @Test
    void a_document_is_given_back_or_refused_however_deeply_it_is_nested() throws Exception {
        String view = "{\"views\":{\"n\":{\"map\":\"function(d){emit(null,d)}\"}},\"validate_doc_update\":"
                + "\"function(n){if(JSON.stringify(n).length<20)throw({forbidden:'short'})}\"}";
        client.send("PUT", "jobs/_design/v", view);
        for (int levels : new int[] {500, 1_000, 1_190}) {
            String deep = "\"x\":" + "[".repeat(levels) + "]".repeat(levels);
            String id = "jobs/deep" + levels;
            assertThat(client.send("PUT", id, "{" + deep + "}").body()).contains("\"ok\":true");
            assertThat(client.send("GET", id).body()).contains(deep);
            assertThat(client.send("GET", "jobs/_changes?include_docs=true").body())
                    .contains(deep);
            assertThat(client.send("GET", "jobs/_design/v/_view/n").body()).contains(deep);
        }
        for (int levels : new int[] {18_000, 100_000}) {
            String deep = "{\"x\":" + "[".repeat(levels) + "]".repeat(levels) + "}";
            assertThat(client.send("PUT", "jobs/deeper", deep).statusCode()).isEqualTo(400);
        }
        client.send("PUT", "jobs/shallow", "{\"lives\":\"on, as before\"}");
        assertThat(client.send("GET", "jobs/_design/v/_view/n").body()).contains("lives");
    }

    /** CouchDB 3.5 answers such a query from a cache for up to a minute. */
    @Test
    void a_purged_design_document_has_no_views_any_more() throws Exception {
        client.send("PUT", "jobs/_design/v", "{\"views\":{\"n\":{\"map\":\"function(d){emit(d.n,1)}\"}}}");
        assertThat(client.send("GET", "jobs/_design/v/_view/n").statusCode()).isEqualTo(200);

        String rev = Json.parse(client.send("GET", "jobs/_design/v").body())
                .path("_rev")
                .asText();
        client.send("POST", "jobs/_purge", "{\"_design/v\":[\"" + rev + "\"]}");

        assertThat(client.send("GET", "jobs/_design/v/_view/n").statusCode()).isEqualTo(404);
    }

    @Test
    void a_write_over_an_old_revision_is_a_conflict() throws Exception {
        client.send("PUT", "jobs/a", "{}");
        assertThat(client.send("PUT", "jobs/a", "{}").statusCode()).isEqualTo(409);
    }

    @Test
    void a_view_counts_what_its_map_function_emits() throws Exception {
        client.send(
                "PUT",
                "jobs/_design/v",
                "{\"views\":{\"n\":{\"map\":\"function(d){emit(d.n)}\",\"reduce\":\"_count\"}}}");
        client.send("POST", "jobs/_bulk_docs", "{\"docs\":[{\"n\":1},{\"n\":2},{\"n\":1}]}");
        assertThat(client.send("GET", "jobs/_design/v/_view/n?key=1").body()).contains("\"value\":2");
    }

    @Test
    void a_map_function_cannot_reach_java() throws Exception {
        client.send(
                "PUT",
                "jobs/_design/v",
                "{\"views\":{\"n\":{\"map\":\"function(d){emit(typeof java, typeof Packages)}\"}}}");
        client.send("PUT", "jobs/a", "{}");
        assertThat(client.send("GET", "jobs/_design/v/_view/n").body())
                .contains("\"key\":\"undefined\",\"value\":\"undefined\"");
    }

    @Test
    void a_map_function_that_does_not_end_leaves_its_document_out() throws Exception {
        client.send(
                "PUT",
                "jobs/_design/v",
                "{\"views\":{\"n\":{\"map\":\"function(d){ if (d.loop) { try { for(;;){} } catch (e) {} } emit(d._id) }\"}}}");
        client.send("POST", "jobs/_bulk_docs", "{\"docs\":[{\"_id\":\"bad\",\"loop\":true},{\"_id\":\"good\"}]}");
        assertThat(client.send("GET", "jobs/_design/v/_view/n").body())
                .contains("\"total_rows\":1")
                .contains("good");
    }

    @Test
    void a_waiting_feed_wakes_on_a_write() throws Exception {
        CompletableFuture<String> feed = client.read("jobs/_changes?feed=longpoll&since=0");
        client.send("PUT", "jobs/woken", "{}");
        assertThat(feed.get(30, TimeUnit.SECONDS)).contains("\"id\":\"woken\"");
    }

    @Test
    void deleting_the_database_ends_its_feeds() throws Exception {
        CompletableFuture<String> feed = client.read("jobs/_changes?feed=longpoll&since=now&heartbeat=1000");
        client.send("DELETE", "jobs");
        assertThat(feed.get(30, TimeUnit.SECONDS)).isNotNull();
    }
}
