package io.couchjobs.embedded.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.feed.Feed;
import io.couchjobs.embedded.feed.FeedRequest;
import io.couchjobs.embedded.feed.LeafFilter;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.CouchStore;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.store.Gate;
import io.couchjobs.embedded.tree.Revision;
import io.couchjobs.embedded.view.QueryArgs;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Documents that change while an answer is being written. */
class OvertakenReaderTest {
    private final CouchStore store = CouchStore.open(null);
    private Database database;

    /** Runs a task once, before the first row of a document is written. */
    private static final class Answer extends ByteArrayOutputStream {
        private final String id;
        private Runnable meanwhile;

        Answer(String id, Runnable meanwhile) {
            this.id = id;
            this.meanwhile = meanwhile;
        }

        @Override
        public void write(byte[] bytes) {
            if (new String(bytes, StandardCharsets.UTF_8).contains("\"id\":\"" + id + "\"")) {
                Runnable once = meanwhile;
                meanwhile = () -> {};
                once.run();
            }
            write(bytes, 0, bytes.length);
        }

        JsonNode json() {
            return Json.parse(toByteArray());
        }
    }

    @BeforeEach
    void fill() {
        store.create("jobs");
        database = store.get("jobs");
        write("a", false);
        write("b", false);
        write("c", false);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void write(String id, boolean deleted) {
        List<Revision> base = database.live(id).map(doc -> List.of(doc.rev())).orElse(List.of());
        assertThat(database.write(List.of(new Edit(id, base, deleted, Json.object())), Gate.OPEN))
                .allMatch(result -> result.error() == null);
    }

    private void changeTwoAndDeleteThree() {
        write("b", false);
        write("c", true);
    }

    private JsonNode changes(FeedRequest.Form form) throws Exception {
        Answer answer = new Answer("a", this::changeTwoAndDeleteThree);
        FeedRequest.Rows rows = new FeedRequest.Rows(false, false, false, false);
        LeafFilter all = new LeafFilter(database, false, doc -> true);
        new Feed(database, new FeedRequest(form, 0, FeedRequest.NO_LIMIT, 1, 0, 60_000, rows, all), answer).run();
        return answer.json().path("results");
    }

    private static List<String> ids(JsonNode rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(row -> row.path("id").asText())
                .toList();
    }

    @Test
    void a_feed_that_is_read_once_tells_each_document_that_was_there() throws Exception {
        assertThat(ids(changes(FeedRequest.Form.NORMAL))).containsExactly("a", "b", "c");
    }

    @Test
    void a_long_poll_tells_each_document_that_was_there() throws Exception {
        assertThat(ids(changes(FeedRequest.Form.LONGPOLL))).containsExactly("a", "b", "c");
    }

    @Test
    void a_row_of_a_list_has_the_revision_of_its_document() throws Exception {
        Answer answer = new Answer("a", this::changeTwoAndDeleteThree);

        AllDocsHandler.answer(database, QueryArgs.of(Map.of("include_docs", "true"), null), false, false, answer);

        JsonNode rows = answer.json().path("rows");
        assertThat(ids(rows)).containsExactly("a", "b");
        assertThat(rows.at("/1/value/rev")).isEqualTo(rows.at("/1/doc/_rev"));
    }

    @Test
    void a_live_document_is_found_in_each_moment() {
        database.settings().revsLimit(1);
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            for (int n = 0; n < 20_000; n++) {
                write("a", false);
            }
        });

        while (!writing.isDone()) {
            assertThat(database.live("a")).isPresent();
        }
        writing.join();
    }
}
