package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Moves a queue that somebody wrote by hand, by the commands of docs/coming-from.md. */
@Tag("server")
@Timeout(120)
@ExtendWith(CouchExtension.class)
class ComingFromTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Page GUIDE = Page.of("docs/coming-from.md");

    @TempDir
    private Path folder;

    private Bash bash;
    private JobQueue queue;
    private CouchDatabase old;

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        bash = Bash.at(database, folder, Bash.Hook.NONE);
        queue = TestShell.queue(database);
        old = queue.database().server().database(database.name() + "-old");
        bash.with("OLD", Bash.withUser(database, database.serverUrl().resolve(old.name())));
        boolean unused = old.createIfMissing();
    }

    @AfterEach
    void close() throws Exception {
        if (queue != null) {
            queue.close();
            bash.done("curl -X DELETE \"$OLD\"");
            bash.close();
        }
    }

    @Test
    void what_waits_is_added_and_the_same_commands_again_add_nothing() throws Exception {
        save("todo-a", "{'state':'new','file':'a.png'}");
        save("todo-b", "{'state':'new','file':'b.png'}");
        save("todo-c", "{'state':'done','file':'c.png'}");
        Page.Block block = GUIDE.block("enqueue thumbnail");

        String said = bash.run(block.script());
        String again = bash.run(block.script());

        block.assertSaid(said, line -> line);
        assertThat(again).contains("added 0, updated 0, unchanged 2, rejected 0");
        assertThat(said).contains("todo-a").contains("todo-b").doesNotContain("todo-c");
    }

    @Test
    void all_of_it_is_imported_in_its_states_by_the_program_of_the_guide() throws Exception {
        save("task-17", GUIDE.block("json", "task-17"));
        save(
                "task-18",
                "{'type':'task','kind':'mail','state':'running','due':1795823705,'tries':1,"
                        + "'createdAt':'2026-11-27T20:00:01.25Z'}");
        save(
                "task-19",
                "{'type':'task','kind':'mail','state':'done','due':1795823705,'tries':2,'output':{'sent':true},"
                        + "'createdAt':1795823700,'endedAt':1795823710.25}");
        save(
                "task-20",
                "{'type':'task','kind':'thumb','state':'error','due':1795823705,'tries':3,'error':'no such file',"
                        + "'createdAt':1795823700,'endedAt':1795823711}");
        save("note-1", "{'type':'note'}");
        Path unused = Files.writeString(folder.resolve("jobs.jq"), GUIDE.block("jq", "def ms"));

        String said = bash.run(GUIDE.block("import jobs.ndjson").script());

        assertThat(said)
                .contains("added 4 (of which 0 were owned, and wait again), unchanged 0 (of which 0 differ), skipped 0, rejected 0")
                .containsPattern("mail +2 .* 1 ")
                .containsPattern("thumb +0 ");
        assertThat(queue.get("mail", "task-19")
                        .orElseThrow()
                        .result()
                        .orElseThrow()
                        .path("sent")
                        .asBoolean())
                .isTrue();
        assertThat(queue.get("thumb", "task-20").orElseThrow().errors()).hasSize(1);
        assertThat(queue.get("mail", "task-18").orElseThrow().times())
                .containsEntry("created", Instant.parse("2026-11-27T20:00:01Z"));
    }

    @Test
    void a_state_that_the_program_does_not_name_stops_it() throws Exception {
        save("task-21", "{'type':'task','kind':'mail','state':'parked','createdAt':1795823700}");
        Path unused = Files.writeString(folder.resolve("jobs.jq"), GUIDE.block("jq", "def ms"));
        String program = GUIDE.block("import jobs.ndjson").commands().get(2);

        assertThat(bash.run(program.replace(" > jobs.ndjson", " 2>&1 || echo refused")))
                .contains("task-21: parked", "refused");
    }

    private void save(String id, String json) throws IOException {
        ObjectNode document = (ObjectNode) MAPPER.readTree(json.replace('\'', '"'));
        var unused = old.put(document.put("_id", id));
    }
}
