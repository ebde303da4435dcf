package io.couchjobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EmbeddedCouchTest {
    private final HttpClient client = HttpClient.newHttpClient();
    private EmbeddedCouch couch;

    @BeforeEach
    void start() throws Exception {
        couch = EmbeddedCouch.inMemory().start();
        send("PUT", "jobs", "");
    }

    @AfterEach
    void close() {
        couch.close();
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(couch.url().resolve(path))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    @Test
    void a_document_is_read_as_it_was_written() throws Exception {
        assertThat(send("PUT", "jobs/a", "{\"data\":{\"n\":1}}").statusCode()).isEqualTo(201);
        assertThat(send("GET", "jobs/a", "").body()).contains("\"data\":{\"n\":1}");
    }

    @Test
    void a_write_over_an_old_revision_is_a_conflict() throws Exception {
        send("PUT", "jobs/a", "{}");
        assertThat(send("PUT", "jobs/a", "{}").statusCode()).isEqualTo(409);
    }

    @Test
    void a_view_counts_what_its_map_function_emits() throws Exception {
        send("PUT", "jobs/_design/v", "{\"views\":{\"n\":{\"map\":\"function(d){emit(d.n)}\",\"reduce\":\"_count\"}}}");
        send("POST", "jobs/_bulk_docs", "{\"docs\":[{\"n\":1},{\"n\":2},{\"n\":1}]}");
        assertThat(send("GET", "jobs/_design/v/_view/n?key=1", "").body()).contains("\"value\":2");
    }

    @Test
    void a_waiting_feed_wakes_on_a_write() throws Exception {
        var waiting = client.sendAsync(
                HttpRequest.newBuilder(couch.url().resolve("jobs/_changes?feed=longpoll&since=0"))
                        .build(),
                BodyHandlers.ofString());
        send("PUT", "jobs/woken", "{}");
        assertThat(waiting.get().body()).contains("\"id\":\"woken\"");
    }
}
