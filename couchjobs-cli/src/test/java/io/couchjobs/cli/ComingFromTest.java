package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Moves a queue that somebody wrote by hand, by the commands of docs/coming-from.md. */
@ServerTest
@Timeout(120)
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
    void each_waiting_item_or_item_of_a_dead_worker_is_added_and_the_same_command_again_adds_nothing()
            throws Exception {
        save("todo-a", "{'state':'new','file':'a.png'}");
        save("todo-b", "{'state':'new','file':'b.png'}");
        save("todo-c", "{'state':'working','file':'c.png'}");
        save("todo-d", "{'state':'done','file':'d.png'}");
        Page.Block block = GUIDE.block("enqueue thumbnail");

        String said = bash.run(block.script());
        String again = bash.run(block.script());

        block.assertSaid(said, line -> line);
        assertThat(again)
                .contains("added 0, updated 0, unchanged 3, rejected 0")
                .contains("todo-a", "todo-b", "todo-c")
                .doesNotContain("todo-d");
    }

    @Test
    void all_of_it_is_imported_in_its_states_and_goes_back_with_what_has_happened_since() throws Exception {
        save("task-17", GUIDE.block("json", "task-17").replace("1795823705.5", "1700000000.5"));
        save(
                "task-18",
                "{'type':'task','kind':'mail','state':'running','due':1700000000,'tries':1,"
                        + "'createdAt':'2026-11-27T21:00:01.25+01:00'}");
        save(
                "task-19",
                "{'type':'task','kind':'mail','state':'done','due':1700000000,'tries':2,'output':{'sent':true},"
                        + "'createdAt':1795823700,'endedAt':1795823710.25}");
        save("task-20", "{'type':'task','kind':'thumb','state':'error','error':'no such file','createdAt':1795823700}");
        save("note-1", "{'type':'note'}");
        writePrograms();

        String moved = bash.run(GUIDE.block("import jobs.ndjson").script());

        assertThat(moved).contains("added 4 (of which 0 were owned", "1 mail running", "complete");
        assertThat(moved).containsPattern("mail +2 .* 1 ").containsPattern("thumb +0 ");
        assertThat(job("mail", "task-19").result().orElseThrow().path("sent").asBoolean())
                .isTrue();
        assertThat(job("mail", "task-18").times()).containsEntry("created", Instant.parse("2026-11-27T20:00:01.250Z"));
        Job failed = job("thumb", "task-20");
        assertThat(failed.times()).containsEntry("finished", Instant.ofEpochSecond(1795823700));
        assertThat(failed.errors()).singleElement().satisfies(error -> assertThat(error.at())
                .isEqualTo(Instant.ofEpochSecond(1795823700)));

        for (ClaimedJob claim : queue.accept(AcceptOptions.of("mail").max(2))) {
            claim.finish(Map.of("sent", "now"));
        }
        queue.add(JobRequest.builder("mail").id("new").data(Map.of("to", "eve")).build());
        String back = bash.run(GUIDE.block("back.jq").script());

        assertThat(back).contains("true", "changed 4", "changed 1");
        ObjectNode first = old.get("task-17").orElseThrow();
        assertThat(first.path("state").asText()).isEqualTo("done");
        assertThat(first.at("/output/sent").asText()).isEqualTo("now");
        assertThat(first.path("createdAt").asDouble()).isEqualTo(1795823700.1);
        assertThat(old.get("task-20").orElseThrow().path("error").asText()).isEqualTo("no such file");
        assertThat(old.get("new").orElseThrow().at("/payload/to").asText()).isEqualTo("eve");

        assertThat(bash.run(GUIDE.block("import jobs.ndjson").script()))
                .contains("added 5 (of which 0 were owned", "differ), skipped 0, rejected 0", "complete");
        assertThat(job("mail", "task-17").status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(job("mail", "new").status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_state_that_the_program_does_not_name_stops_the_import_and_what_is_missing_is_found() throws Exception {
        save("task-21", "{'type':'task','kind':'mail','state':'pending','createdAt':1795823700}");
        save("task-22", "{'type':'task','kind':'mail','state':'parked','createdAt':1795823700}");
        writePrograms();

        String said = bash.run("(" + GUIDE.block("import jobs.ndjson").script() + ") || echo not complete");

        assertThat(said)
                .contains("task-22: parked", "1 mail parked", "not complete")
                .doesNotContain("added");
        assertThat(queue.get("mail", "task-21")).isEmpty();
    }

    private Job job(String type, String id) {
        return queue.get(type, id).orElseThrow();
    }

    private void writePrograms() throws IOException {
        Path unused = Files.writeString(folder.resolve("jobs.jq"), GUIDE.block("jq", "def ms"));
        unused = Files.writeString(folder.resolve("back.jq"), GUIDE.block("jq", "INDEX"));
    }

    private void save(String id, String json) throws IOException {
        ObjectNode document = (ObjectNode) MAPPER.readTree(json.replace('\'', '"'));
        var unused = old.put(document.put("_id", id));
    }
}
