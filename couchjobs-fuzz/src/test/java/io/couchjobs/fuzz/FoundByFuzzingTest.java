package io.couchjobs.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.LocalQueue;
import io.couchjobs.cli.input.ExportReader;
import io.couchjobs.couch.WithoutNetwork;
import io.couchjobs.embedded.http.WithinThread;
import io.couchjobs.embedded.store.CouchStore;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What fuzzing found in more than one unit, in words. */
class FoundByFuzzingTest {
    @SuppressWarnings("NullAway.Init")
    private static JobQueue queue;

    @BeforeAll
    static void open() {
        queue = LocalQueue.open();
    }

    @Test
    void a_settings_document_of_what_no_type_is_called_is_no_type() {
        put("{'_id':'type:a:b'}");
        put("{'_id':'type:'}");
        put("{'_id':'type:t','timeout':5000}");
        assertThat(queue.types().names()).contains("t").doesNotContain("", "a:b");
    }

    @Test
    void a_log_chunk_without_lines_is_none() {
        put("{'_id':'log:t:1:0000000000000001:00000000'}");
        put("{'_id':'log:t:1:0000000000000002:00000000','lines':[{'at':1,'text':'x'}]}");
        assertThat(queue.logs().read("t", "1")).singleElement().satisfies(chunk -> assertThat(chunk.docId())
                .isEqualTo("log:t:1:0000000000000002:00000000"));
    }

    @Test
    void a_number_that_json_does_not_have_is_refused_and_no_job_beside_it() throws IOException {
        for (Object infinite : List.of(Double.NaN, Float.NEGATIVE_INFINITY, Trees.parsed("[1e400]"))) {
            assertThatThrownBy(() ->
                            JobRequest.builder("t").data(Map.of("x", infinite)).build())
                    .isInstanceOf(InvalidJobDataException.class);
        }
        Job one = Job.parse(Trees.parsed("{\"_id\":\"job:t:9\",\"x\":1e400}"));
        assertThat(one.saysTheSameAs(one.withRev("2-a"))).isTrue();
        ExportReader lines = new ExportReader(new ByteArrayInputStream(
                "{\"_id\":\"job:t:9\",\"x\":1e400}\n{\"_id\":\"job:t:9\"}".getBytes(StandardCharsets.UTF_8)));
        assertThat(lines.next().orElseThrow().problem()).contains("1.8e308");
        assertThat(lines.next().orElseThrow().job()).isPresent();
    }

    @Test
    void the_embedded_server_refuses_a_number_that_no_double_can_hold_as_couchdb_does() throws IOException {
        WithinThread server = new WithinThread(CouchStore.open(null));
        byte[] body = "{\"x\":1e400}".getBytes(StandardCharsets.UTF_8);
        Map<String, String> json = Map.of("Content-Type", "application/json");
        server.answer(new WithoutNetwork.Request("PUT", URI.create("/db"), json, new byte[0]));
        assertThat(server.answer(new WithoutNetwork.Request("PUT", URI.create("/db/a"), json, body))
                        .status())
                .isEqualTo(400);
    }

    @Test
    void the_embedded_server_refuses_to_list_less_than_no_databases() throws IOException {
        WithinThread server = new WithinThread(CouchStore.open(null));
        for (String query : List.of("limit=-1", "skip=-1")) {
            URI uri = URI.create("/_all_dbs?" + query);
            assertThat(server.answer(new WithoutNetwork.Request("GET", uri, Map.of(), new byte[0]))
                            .status())
                    .isEqualTo(400);
        }
    }

    @Test
    void a_password_in_what_is_no_url_is_in_no_message() {
        for (String url : new String[] {
            "http://u:geheim x@h/db",
            "http://u:ge/heim@h/db",
            "http://u:x@geheim@h/db",
            "http://u:1/geheim@h",
            "http://u:1/geheim@h/db",
            "http://u:%zgeheim@h/db"
        }) {
            assertThatThrownBy(() -> JobQueue.open(url))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageNotContaining("heim")
                    .hasNoCause();
        }
    }

    private static void put(String json) {
        JsonNode document = Trees.parsed(json.replace('\'', '"'));
        assertThat(queue.database().put((ObjectNode) document)).isNotNull();
    }
}
