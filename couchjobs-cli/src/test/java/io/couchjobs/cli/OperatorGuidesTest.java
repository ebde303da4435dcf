package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobStatus;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Runs what the guides for operators do by curl. */
@Timeout(120)
@ExtendWith(CouchExtension.class)
class OperatorGuidesTest {
    private static final String PROGRAM = "couchjobs ";

    @TempDir
    private Path folder;

    private TestShell shell;
    private TestDatabase database;

    @BeforeEach
    void init(TestDatabase fresh) {
        assumeTrue(isInstalled("jq") && isInstalled("curl"), "jq or curl is not installed");
        database = fresh;
        shell = TestShell.at(fresh);
        shell.done("init");
    }

    @Test
    void the_requests_of_the_http_api_are_answered() throws Exception {
        Path tokens = Files.writeString(folder.resolve("tokens"), "sesame\n");
        try (RunningCommand dashboard = shell.start(
                "dashboard",
                "--api",
                "--listen",
                "127.0.0.1:0",
                "--auth-token-file",
                tokens.toString(),
                "--allow-actions")) {
            String url = dashboard.awaitOut(text -> text.endsWith("\n")).strip();
            String example = block("http-api.md", "API=").replace("http://127.0.0.1:8080/", url);

            assertThat(example).contains(url);
            bash("curl() { command curl -sS -f \"$@\"; }\n" + example, Map.of());

            assertThat(shell.run("inspect", "email", "42", "-o", "json")
                            .json()
                            .path("status")
                            .asText())
                    .isEqualTo("waiting");
            assertThat(shell.run("types").out()).containsPattern("email .*paused");
        }
    }

    @Test
    void a_malformed_document_is_mended_where_it_is() throws Exception {
        try (JobQueue queue = TestShell.queue(database)) {
            shell.done("enqueue", "email", "42");
            var document = queue.database().get("job:email:42").orElseThrow();
            var unused = queue.database().put(document.put("status", 7));
            assertThat(shell.run("explain", "email", "42").out()).startsWith("malformed");

            bash(
                    block("operations.md", "jq '.status"),
                    Map.of("DB", database.url().toString()));

            assertThat(queue.get("email", "42").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        }
    }

    @Test
    void a_broken_index_is_built_anew() throws Exception {
        shell.done("enqueue", "email", "42");
        String design = Pattern.compile("lists-[0-9a-f]+")
                .matcher(shell.done("design", "list").out())
                .results()
                .findFirst()
                .orElseThrow()
                .group();
        List<String> lines = block("runbook.md", "_view_cleanup")
                .replaceAll(" +#.*", "")
                .replaceAll("lists-[0-9a-f]{8}", design)
                .lines()
                .toList();
        String rev = "";
        for (String line : lines) {
            if (line.startsWith(PROGRAM)) {
                shell.done(line.substring(PROGRAM.length()).split(" "));
            } else {
                String said = bash(line, Map.of("DB", database.url().toString(), "REV", rev));
                Matcher tag = Pattern.compile("(?i)etag: \"(.*)\"").matcher(said);
                rev = tag.find() ? tag.group(1) : rev;
            }
        }
        assertThat(rev).isNotEmpty();
        assertThat(shell.done("design", "list").out()).contains(design);
        assertThat(shell.done("counts").out()).containsPattern("email +1 ");
    }

    private static String block(String page, String text) throws IOException {
        return Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs", page)))
                .results()
                .map(block -> block.group(1))
                .filter(block -> block.contains(text))
                .findFirst()
                .orElseThrow();
    }

    private String bash(String script, Map<String, String> variables) throws Exception {
        ProcessBuilder bash =
                new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", script).directory(folder.toFile());
        bash.environment().putAll(variables);
        Process process = bash.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(script + "\n" + output).isZero();
        assertThat(output).doesNotContain("\"error\":");
        return output;
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }
}
