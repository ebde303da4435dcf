package io.couchjobs.embedded.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file whose newest part has no root any more looks like an empty one, which would be overwritten. */
class DamagedFileTest {
    private static final int BLOCK = 4096;
    private static final Pattern NEWEST = Pattern.compile("block:([0-9a-f]+),");

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void write() {
        try (CouchStore store = CouchStore.open(folder)) {
            store.create("db");
        }
        file = folder.resolve("couchjobs-embedded.mv");
    }

    @Test
    void a_file_that_has_lost_its_root_is_refused_and_left_as_it_is() throws IOException {
        byte[] damaged = Files.readAllBytes(file);
        damaged[newest(damaged).indexOf("root:") + blockOf(damaged) * BLOCK] = 'x';
        Files.write(file, damaged);

        assertThatThrownBy(() -> CouchStore.open(folder))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining(file + " is damaged");
        assertThat(file).hasBinaryContent(damaged);
    }

    @Test
    void a_store_without_databases_is_opened_again() {
        try (CouchStore store = CouchStore.open(folder)) {
            store.delete("db");
        }
        try (CouchStore store = CouchStore.open(folder)) {
            assertThat(store.names()).isEmpty();
        }
    }

    private static String newest(byte[] file) {
        return new String(file, blockOf(file) * BLOCK, BLOCK, StandardCharsets.ISO_8859_1);
    }

    private static int blockOf(byte[] file) {
        Matcher head = NEWEST.matcher(new String(file, 0, BLOCK, StandardCharsets.ISO_8859_1));
        assertThat(head.find()).isTrue();
        return Integer.parseInt(head.group(1), 16);
    }
}
