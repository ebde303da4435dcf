package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.EmbeddedCouch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TooLargeTest {
    private final TestShell shell = new TestShell();

    @Test
    void a_document_that_is_too_large_for_the_server_is_a_failure_and_no_want_of_rights() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start()) {
            String url = couch.url() + "jobs";
            shell.run("init", "--url", url);
            couch.faults().answer(1, request -> request.path().endsWith("/_bulk_docs"), 413);

            TestShell.Said said = shell.run("enqueue", "email", "1", "--url", url);

            assertThat(said.exitCode()).as(said.err()).isEqualTo(1);
            assertThat(said.err()).contains("bytes of JSON; max_document_size is 8000000", "largestInlineData");
        }
    }
}
