package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.cli.demo.Summary;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With real worker processes. */
@ServerTest
@Timeout(180)
@Order(1)
class DemoCommandTest {
    @TempDir
    private Path folder;

    @Test
    void every_file_is_hashed_by_two_processes_and_checked(TestDatabase database) throws IOException {
        for (int i = 0; i < 40; i++) {
            Files.writeString(folder.resolve("file " + i + " \u00e4"), "content " + i);
        }
        Files.createDirectories(folder.resolve(".git"));
        Files.writeString(folder.resolve(".git/config"), "not this one");

        TestShell.Said said = TestShell.at(database)
                .run(
                        "demo",
                        folder.toString(),
                        "-o",
                        "json",
                        "--url",
                        database.url().toString());

        assertThat(said.exitCode()).as(said.err()).isZero();
        JsonNode summary = said.json();
        assertThat(summary.path("jobs").asInt()).isEqualTo(40);
        assertThat(summary.path("succeeded").asInt()).isEqualTo(40);
        assertThat(summary.path("failed").asInt()).isZero();
        assertThat(summary.path("mismatches").asInt()).isZero();
        assertThat(summary.path("steadyJobsPerSecond").asDouble()).isPositive();
        assertThat(summary.path("perWorker")).hasSize(2);
        assertThat(summary.path("perWorker").findValuesAsText("succeeded").stream()
                        .mapToInt(Integer::parseInt)
                        .sum())
                .isEqualTo(40);
    }

    @Test
    void the_processes_work_where_the_profile_says(TestDatabase database) throws Exception {
        Path config = Files.writeString(
                folder.resolve("config.toml"), "[profiles.staging]\nurl = \"" + database.url() + "\"\n");
        ProcessBuilder demo = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "demo",
                folder.toString(),
                "--profile",
                "staging",
                "-o",
                "json");
        demo.environment().put("COUCHJOBS_CONFIG", config.toString());
        database.user().ifPresent(user -> demo.environment().put("COUCHJOBS_USER", user));
        database.password().ifPresent(password -> demo.environment().put("COUCHJOBS_PASSWORD", password));

        Process running = demo.redirectErrorStream(true).start();

        String said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(running.waitFor()).as(said).isZero();
        assertThat(said).contains("\"succeeded\" : 1");
    }

    @Test
    void a_file_that_is_written_all_the_time_is_not_called_wrong(TestDatabase database) throws Exception {
        Path log = Files.writeString(folder.resolve("server.log"), "begin");
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(log, over));

        TestShell.Said said = TestShell.at(database).run("demo", folder.toString());

        over.set(true);
        writing.get(1, TimeUnit.MINUTES);
        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.out()).contains("0 agree, 0 differ; 0 jobs failed; 1 files were changed meanwhile");
    }

    private static void write(Path log, AtomicBoolean over) {
        try {
            while (!over.get()) {
                Files.writeString(log, "more", StandardOpenOption.APPEND);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void nothing_to_do_is_said(TestDatabase database) {
        TestShell.Said said = TestShell.at(database).run("demo", folder.toString());

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.err()).contains("no files below " + folder);
    }

    @Test
    void the_headline_is_the_rate_at_full_speed() {
        Summary.Worker worker = new Summary.Worker("worker-1", 200, 200, 0, 0, 3);
        Summary summary = new Summary(200, 200, 5_000, 4, 812.4, List.of(worker), List.of(), List.of(), 0);

        assertThat(summary.lines().get(0))
                .isEqualTo("812 jobs/s by 1 processes at full speed;"
                        + " 200 jobs, 5 kB, in 4.0 s with the start, 3 claims lost to another, 0 retries");
    }

    @Test
    void a_file_that_could_not_be_read_is_in_the_json_too() {
        Summary nothing = new Summary(0, 0, 0, 0, 0, List.of(), List.of(), List.of(), 0);

        assertThat(DemoCommand.json(nothing, List.of("cannot read /root: permission denied"))
                        .path("unreadable"))
                .hasToString("[\"cannot read /root: permission denied\"]");
    }

    @Test
    void a_url_of_the_environment_is_meant_for_other_queues() throws IOException {
        Files.writeString(folder.resolve("file"), "content");
        TestShell.Said said = new TestShell()
                .with("COUCHJOBS_URL", "http://127.0.0.1:1/jobs")
                .run("demo", folder.toString(), "-o", "json");
        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.json().path("succeeded").asInt()).isEqualTo(1);
        assertThat(said.err()).contains("the demo uses a server of its own, not COUCHJOBS_URL; --url");
    }
}
