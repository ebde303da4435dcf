package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
    private static final String PROGRAM = "couchjobs ";

    @TempDir
    private Path folder;

    private TestShell shell;
    private JobQueue queue;
    private CouchDatabase old;
    private String oldUrl;
    private String guide;

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        assumeTrue(isInstalled("jq") && isInstalled("curl"), "jq or curl is not installed");
        shell = TestShell.at(database);
        queue = TestShell.queue(database);
        old = queue.database().server().database(database.name() + "-old");
        oldUrl = url(database);
        boolean unused = old.createIfMissing();
        guide = Files.readString(Path.of("../docs/coming-from.md"));
    }

    @AfterEach
    void close() throws Exception {
        if (queue != null) {
            queue.close();
            String unused = bash("curl -s -X DELETE \"$OLD\"");
        }
    }

    @Test
    void what_waits_is_added_and_the_same_command_again_adds_nothing() throws Exception {
        save("todo-a", "{'state':'new','file':'a.png'}");
        save("todo-b", "{'state':'new','file':'b.png'}");
        save("todo-c", "{'state':'done','file':'c.png'}");
        List<String> commands = commands("enqueue thumbnail");

        String added = runPiped(commands.get(0));
        String again = runPiped(commands.get(0));

        assertThat(added).contains(firstLineBelow("enqueue thumbnail"));
        assertThat(again).contains("added 0, updated 0, unchanged 2, rejected 0");
        assertThat(run(commands.get(1))).contains("todo-a").contains("todo-b").doesNotContain("todo-c");
    }

    @Test
    void all_of_it_is_imported_in_its_states_by_the_program_of_the_guide() throws Exception {
        save("task-17", example());
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
        Files.writeString(folder.resolve("jobs.jq"), block("jq", "def ms"));
        List<String> commands = commands("import jobs.ndjson");
        assertThat(commands).hasSize(5);

        String unused = run(commands.get(0)) + run(commands.get(1));
        unused = bash(commands.get(2));
        String imported = run(commands.get(3)
                .replace("jobs.ndjson", folder.resolve("jobs.ndjson").toString()));

        assertThat(imported)
                .contains("added 4 (of which 0 were owned, and wait again), unchanged 0, skipped 0, rejected 0");
        Files.writeString(
                folder.resolve("exported"), shell.input("").done("export").out());
        String difference =
                commands.get(4).replace("couchjobs export", "cat exported").replace(" && couchjobs counts", "");
        assertThat(bash(difference)).isEmpty();
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
        assertThat(run("couchjobs counts")).containsPattern("mail +2 .* 1 ").containsPattern("thumb +0 ");
    }

    @Test
    void a_state_that_the_program_does_not_name_stops_it() throws Exception {
        save("task-21", "{'type':'task','kind':'mail','state':'parked','createdAt':1795823700}");
        Files.writeString(folder.resolve("jobs.jq"), block("jq", "def ms"));
        String program = commands("import jobs.ndjson").get(2);

        assertThat(bash(program.replace(" > jobs.ndjson", " 2>&1 || echo refused")))
                .contains("task-21: parked", "refused");
    }

    private void save(String id, String json) throws IOException {
        ObjectNode document = (ObjectNode) MAPPER.readTree(json.replace('\'', '"'));
        var unused = old.put(document.put("_id", id));
    }

    /** The document that the guide shows. */
    private String example() {
        return block("json", "task-17");
    }

    /** The block of a kind that has a text. */
    private String block(String kind, String text) {
        Matcher blocks =
                Pattern.compile("```" + kind + "\n(.*?)```", Pattern.DOTALL).matcher(guide);
        while (blocks.find()) {
            if (blocks.group(1).contains(text)) {
                return blocks.group(1);
            }
        }
        throw new AssertionError("the guide has no block with " + text);
    }

    private List<String> commands(String text) {
        return block("sh", text).replaceAll("\\\\\n *", "").lines().toList();
    }

    /** What the guide says that the command says. */
    private String firstLineBelow(String command) {
        int text = guide.indexOf("```text\n", guide.indexOf(command));
        return guide.substring(text + 8, guide.indexOf('\n', text + 8));
    }

    /** Runs a pipe whose last command is one of couchjobs. */
    private String runPiped(String line) throws Exception {
        int last = line.lastIndexOf("| " + PROGRAM);
        return run(line.substring(last + 2), bash(line.substring(0, last)));
    }

    private String run(String command) throws Exception {
        return run(command, "");
    }

    private String run(String command, String input) throws Exception {
        TestShell.Said said =
                shell.input(input).run(command.substring(PROGRAM.length()).split(" +"));
        assertThat(said.exitCode()).as(command + "\n" + said.err()).isZero();
        return said.out() + said.err();
    }

    private String bash(String command) throws Exception {
        ProcessBuilder bash = new ProcessBuilder("bash", "-o", "pipefail", "-c", command).directory(folder.toFile());
        bash.environment().put("OLD", oldUrl);
        Process process = bash.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(command + "\n" + output).isZero();
        return output;
    }

    /** The address of the old database, with what it takes to be let in. */
    private String url(TestDatabase beside) throws Exception {
        URI url = beside.url().resolve(old.name());
        String user = beside.user()
                .map(name -> name + ":" + beside.password().orElse(""))
                .orElse(null);
        return new URI(url.getScheme(), user, url.getHost(), url.getPort(), url.getPath(), null, null).toString();
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }
}
