package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.couchjobs.embedded.junit.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Makes a backup by the commands of the runbook, loses the database, and restores it. */
@ServerTest
@Timeout(120)
class BackupTest {
    private final Page runbook = Page.of("docs/runbook.md");

    @Test
    void a_replicated_database_comes_back_from_its_replica(TestDatabase database, @TempDir Path folder)
            throws Exception {
        assumeFalse(database.serverName().contains("embedded"), "the embedded server does not replicate");
        try (Bash bash = Bash.at(database, folder, Bash.Hook.NONE)) {
            bash.with("SERVER", Bash.withUser(database, database.serverUrl()).replaceFirst("/$", ""));
            bash.done("couchjobs init; couchjobs enqueue email 42; couchjobs pause email");
            bash.done(block(database, "export"));
            bash.done("curl -X DELETE $DB");

            bash.done(block(database, "doctor"));

            assertThat(bash.run("couchjobs inspect email 42")).containsPattern("status +waiting");
            assertThat(bash.run("couchjobs types")).containsPattern("email .*paused");
            bash.done("curl -X DELETE $DB-backup");
        }
    }

    private String block(TestDatabase database, String text) {
        return runbook.block(text)
                .script()
                .replace("/shop", "/" + database.name())
                .replace(
                        "couchjobs doctor\n",
                        ""); // PouchDB Server does not answer all that it asks; ShellPagesTest runs it
    }
}
