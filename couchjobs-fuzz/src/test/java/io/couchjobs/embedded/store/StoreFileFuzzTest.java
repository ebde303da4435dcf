package io.couchjobs.embedded.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.h2.mvstore.MVStoreException;
import org.junit.jupiter.api.BeforeAll;

/** A store's file that was cut off or damaged: it is refused, or read without harm; one that was cut off never lies. */
class StoreFileFuzzTest {
    private static final String FILE = "couchjobs-embedded.mv";
    private static final int DOCUMENTS = 40;
    private static final Map<String, ObjectNode> WRITTEN = new HashMap<>();

    @SuppressWarnings("NullAway.Init")
    private static byte[] whole;

    @BeforeAll
    static void write() throws IOException {
        Path folder = Files.createTempDirectory("fuzz");
        try (CouchStore store = CouchStore.open(folder)) {
            store.create("db");
            Database database = store.get("db");
            for (int i = 0; i < DOCUMENTS; i++) {
                ObjectNode body = Json.object().put("number", i).put("text", "x".repeat(i * 10));
                EditResult result = database.write(List.of(new Edit("doc" + i % 30, List.of(), false, body)), Gate.OPEN)
                        .get(0);
                if (result.rev() != null) {
                    WRITTEN.put("doc" + i % 30 + " " + result.rev(), body);
                }
            }
        }
        whole = Files.readAllBytes(folder.resolve(FILE));
        remove(folder);
    }

    @FuzzTest
    void a_damaged_file_is_refused_or_read(FuzzedDataProvider data) throws IOException {
        byte[] file = whole.clone();
        boolean cut = data.consumeBoolean();
        if (cut) {
            file = Arrays.copyOf(file, data.consumeInt(0, file.length));
        } else {
            for (int i = data.consumeInt(1, 8); i > 0; i--) {
                file[data.consumeInt(0, file.length - 1)] = data.consumeByte();
            }
        }
        Path folder = Files.createTempDirectory("fuzz");
        try {
            Files.write(folder.resolve(FILE), file);
            read(folder, cut);
        } finally {
            remove(folder);
        }
    }

    private static void read(Path folder, boolean cut) {
        CouchStore store;
        try {
            store = CouchStore.open(folder);
        } catch (MVStoreException | UncheckedIOException refused) {
            assertThat(refused.getMessage()).contains(FILE);
            return;
        }
        try {
            store.find("db").ifPresent(database -> readAll(database, cut));
        } catch (RuntimeException damaged) {
            assertThat(cut).as("only cut off, and " + damaged).isFalse(); // else the server answers 500
        } finally {
            close(store, cut);
        }
    }

    private static void close(CouchStore store, boolean cut) {
        try {
            store.close();
        } catch (UncheckedIOException damaged) {
            assertThat(cut).as("only cut off, and " + damaged).isFalse();
            assertThat(damaged).hasMessageContaining(FILE).hasMessageContaining("damaged");
        }
    }

    private static void readAll(Database database, boolean cut) {
        for (int i = 0; i < DOCUMENTS; i++) {
            database.winner("doc" + i).ifPresent(doc -> {
                if (cut) {
                    assertThat(doc.body()).isEqualTo(WRITTEN.get(doc.id() + " " + doc.rev()));
                }
            });
        }
        database.changes(0).forEachRemaining(change -> assertThat(change).isNotNull());
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
