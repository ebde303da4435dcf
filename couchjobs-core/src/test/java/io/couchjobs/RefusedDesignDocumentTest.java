package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.EmbeddedCouch;
import org.junit.jupiter.api.Test;

class RefusedDesignDocumentTest {
    @Test
    void a_design_document_that_is_too_large_for_the_server_is_told_in_words() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().database("jobs").start()) {
            couch.faults()
                    .answer(
                            100,
                            request -> request.method().equals("PUT")
                                    && request.path().contains("/_design/"),
                            413);

            assertThatThrownBy(() -> JobQueue.builder(couch.url().resolve("jobs"))
                            .renewLeases(false)
                            .open()
                            .close())
                    .hasMessageContaining("PUT /jobs/_design/")
                    .isInstanceOf(CouchException.class)
                    .hasMessageContaining("413");
        }
    }
}
