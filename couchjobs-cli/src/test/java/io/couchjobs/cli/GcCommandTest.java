package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class GcCommandTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
        assertThat(shell.run("init").exitCode()).isZero();
    }

    @Test
    void retention_is_set_shown_and_taken_back() {
        JsonNode none = set("--retention", "delete");
        assertThat(none.path("retention").asText()).isEqualTo("delete");
        assertThat(none.path("failureRetention")).hasToString("{\"time\":2592000000}");
        assertThat(set("--retention", "100").path("retention")).hasToString("{\"newest\":100}");
        assertThat(set("--retention", "1d12h", "--failure-retention", "forever").toString())
                .contains("\"retention\":{\"time\":129600000}")
                .contains("\"failureRetention\":\"forever\"");
        assertThat(set("--retention", "default", "--failure-retention", "default")
                        .path("failureRetention"))
                .hasToString("{\"time\":2592000000}");
        assertThat(shell.run("types").out()).contains("RETENTION").contains("30d");
    }

    @Test
    void a_retention_that_is_none_is_named_with_what_could_be_said_instead() {
        for (String wrong : new String[] {"soon", "0", "-1", "1.5d", "0s"}) {
            TestShell.Said said = shell.run("type", "set", "email", "--retention=" + wrong);
            assertThat(said.exitCode()).isEqualTo(2);
            assertThat(said.err())
                    .contains("--retention")
                    .contains("'" + wrong + "'")
                    .contains("forever");
        }
    }

    @Test
    void a_run_does_everything_that_a_dry_run_announces(TestDatabase database) {
        assumeFalse(database.serverName().contains("PouchDB"), "PouchDB has no _purge");
        set("--failure-retention", "delete");
        shell.run("enqueue", "email", "1");
        shell.run("cancel", "email", "1");

        JsonNode dry = shell.run("gc", "--dry-run", "-o", "json").json();
        assertThat(dry.path("dryRun").asBoolean()).isTrue();
        assertThat(dry.path("jobsDeleted")).hasToString("{\"email\":1}");
        assertThat(shell.run("inspect", "email", "1").exitCode()).isZero();

        TestShell.Said done = shell.run("gc", "-o", "json");
        assertThat(done.exitCode()).as(done.err()).isZero();
        assertThat(done.json().path("jobsDeleted")).hasToString("{\"email\":1}");
        assertThat(done.json().path("tombstonesPurged").asInt()).isEqualTo(1);
        assertThat(shell.run("inspect", "email", "1").exitCode()).isEqualTo(3);
        assertThat(shell.run("gc").out()).contains("finished jobs deleted").contains("bytes after");
    }

    @Test
    void a_server_that_cannot_purge_has_the_rest_done_and_the_exit_code_tells(TestDatabase database) {
        assumeTrue(database.serverName().contains("PouchDB"), "of these only PouchDB has no _purge");
        set("--failure-retention", "delete");
        shell.run("enqueue", "email", "1");
        shell.run("cancel", "email", "1");

        TestShell.Said done = shell.run("gc", "-o", "json");

        assertThat(done.exitCode()).isEqualTo(1);
        assertThat(done.err()).contains("tombstones cannot be purged: this server does not know how");
        assertThat(done.json().path("jobsDeleted")).hasToString("{\"email\":1}");
        assertThat(shell.run("inspect", "email", "1").exitCode()).isEqualTo(3);
    }

    @Test
    void a_problem_is_reported_even_with_the_option_quiet(TestDatabase database) {
        try (JobQueue queue = TestShell.queue(database)) {
            ObjectNode design = new DesignDocuments(queue.database())
                    .read(DesignDocument.LISTS.versionedName())
                    .orElseThrow();
            queue.database().put(design.put("_deleted", true));
        }

        TestShell.Said said = shell.run("gc", "--dry-run", "-q");

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.err()).contains("the design documents of this version are not stored");
    }

    @Test
    void a_database_that_is_not_there_is_not_made(TestDatabase database) {
        String url = database.url() + "-none";
        assertThat(shell.run("gc", "--dry-run", "--url", url).exitCode()).isEqualTo(3);
        assertThat(shell.run("gc", "--url", url).exitCode()).isEqualTo(3);
    }

    private JsonNode set(String... options) {
        String[] line = new String[options.length + 5];
        System.arraycopy(new String[] {"type", "set", "email", "-o", "json"}, 0, line, 0, 5);
        System.arraycopy(options, 0, line, 5, options.length);
        TestShell.Said said = shell.run(line);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said.json();
    }
}
