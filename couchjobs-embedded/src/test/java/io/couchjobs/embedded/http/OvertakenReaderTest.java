package io.couchjobs.embedded.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.CouchStore;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.store.Gate;
import io.couchjobs.embedded.tree.Revision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Documents that change while an answer is being written. */
class OvertakenReaderTest {
    private final CouchStore store = CouchStore.open(null);
    private Database database;

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
        List<Revision> base =
                database.live(id).map(doc -> List.of(doc.rev())).orElse(List.of());
        assertThat(database.write(List.of(new Edit(id, base, deleted, Json.object())), Gate.OPEN))
                .allMatch(result -> result.error() == null);
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
