package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.embedded.junit.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@ServerTest
@Timeout(180)
class AlarmCommandsTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
        shell.done("init");
    }

    @Test
    void watch_shows_an_alarm_and_that_it_is_over_and_runs_a_program(@TempDir Path folder) throws Exception {
        Path told = folder.resolve("told");
        Path program = Files.writeString(folder.resolve("page"), "#!/bin/sh\ncat >> '" + told + "'\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        shell.done("enqueue", "email", "1", "--at", "2020-01-01T00:00:00Z");
        try (RunningCommand watch = shell.start(
                "watch",
                "--alarm",
                "--oldest-due",
                "1m",
                "--every",
                "1s",
                "--looks",
                "2",
                "--command",
                program.toString(),
                "-o",
                "ndjson")) {
            JsonNode raised = new ObjectMapper()
                    .readTree(watch.awaitOut(said -> said.lines().count() == 1));
            assertThat(raised.path("alarm").asText()).isEqualTo("oldest-due");
            assertThat(raised.path("subject").asText()).isEqualTo("email");
            assertThat(raised.path("raised").asBoolean()).isTrue();

            shell.done("cancel", "email", "1");

            String both = watch.awaitOut(said -> said.lines().count() == 2);
            JsonNode over =
                    new ObjectMapper().readTree(both.lines().skip(1).findFirst().orElseThrow());
            assertThat(over.path("raised").asBoolean()).isFalse();
            assertThat(over.path("since")).isEqualTo(raised.path("since"));
            assertThat(Files.readString(told)).contains("\"raised\":true").contains("oldest-due email");
        }
    }

    @Test
    void a_worker_watches_the_whole_queue_too() throws Exception {
        shell.done("enqueue", "sms", "1", "--at", "2020-01-01T00:00:00Z");
        try (RunningCommand work = shell.start("work", "email", "--alarm", "--looks", "1", "--", "true")) {
            work.awaitErr("ALARM  oldest-due sms: a job has been due for");
        }
    }

    @Test
    void options_that_make_no_sense_are_wrong_usage() {
        shell.usage("need --alarm", "watch", "--oldest-due", "1m");
        shell.usage("leave out --type and --id", "watch", "--alarm", "--type", "email");
        shell.usage("--failure-rate must be a percentage", "watch", "--alarm", "--failure-rate", "often");
        shell.usage("a webhook must be", "watch", "--alarm", "--webhook", "ftp://example.org");
        shell.usage("at least a second", "work", "email", "--alarm", "--every", "5ms", "--", "true");
    }
}
