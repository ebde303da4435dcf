package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Processes whose time of day is hours off, by {@code faketime} (libfaketime); skipped where that is not installed.
 *
 * <p>libfaketime fakes every clock unless told otherwise, the monotonic one too. With these variables it leaves that alone, as
 * a wrong time of day does on a real machine:
 *
 * <ul>
 *   <li>{@code FAKETIME_DONT_FAKE_MONOTONIC=1} ({@code DONT_FAKE_MONOTONIC} before libfaketime 0.9.9), for {@code
 *       System.nanoTime}.
 *   <li>{@code FAKETIME_FORCE_MONOTONIC_FIX=0}, for the JVM's timed waits, which are by the monotonic clock: a workaround for
 *       glibc in libfaketime would else take their deadlines for the time of day, and each {@code Object.wait} and {@code
 *       parkNanos} would return at once.
 * </ul>
 */
@ServerTest
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
@Order(1)
class FakedClockTest {
    private static final Map<String, String> ONLY_THE_TIME_OF_DAY = Map.of(
            "FAKETIME_DONT_FAKE_MONOTONIC", "1", "DONT_FAKE_MONOTONIC", "1", "FAKETIME_FORCE_MONOTONIC_FIX", "0");

    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        assumeTrue(isInstalled(), "faketime is not on the PATH");
        shell = TestShell.at(database);
        shell.run("init");
        shell.run("type", "set", "email", "--timeout", "12s");
    }

    @Test
    void a_worker_process_two_hours_ahead_runs_a_scheduled_job_at_its_time_by_the_servers_clock(TestDatabase database)
            throws Exception {
        Process ahead = worker(database, "+2h", "date", "+%s");
        try {
            shell.run("enqueue", "email", "warm-up");
            assertThat(shell.run("wait", "email", "warm-up", "--timeout", "90s").exitCode())
                    .isZero();
            Instant due = Instant.now().plusSeconds(3);
            shell.run("enqueue", "email", "1", "--at", String.valueOf(due.toEpochMilli()));
            assertThat(shell.run("wait", "email", "1", "--timeout", "90s").exitCode())
                    .isZero();
            Instant ended = Instant.now();
            JsonNode job = job("1");
            assertThat(ended).isBetween(due, due.plusSeconds(60));
            assertThat(Instant.parse(job.path("times").path("started").asText()))
                    .as("by the server's clock, in the document")
                    .isBetween(due.minusMillis(10), due.plusSeconds(30));
            assertThat(Instant.ofEpochSecond(job.path("result").asLong()))
                    .as("what time the worker's machine showed")
                    .isAfter(ended.plus(Duration.ofMinutes(110)));
        } finally {
            end(ahead);
        }
    }

    @Test
    void worker_processes_four_hours_apart_neither_steal_nor_stall_a_lease(TestDatabase database) throws Exception {
        Process ahead = worker(database, "+2h", "sleep", "14");
        Process behind = worker(database, "-2h", "sleep", "14");
        try {
            for (int i = 0; i < 4; i++) {
                shell.run("enqueue", "email", "j" + i);
            }
            for (int i = 0; i < 4; i++) {
                assertThat(shell.run("wait", "email", "j" + i, "--timeout", "90s")
                                .exitCode())
                        .isZero();
                assertThat(job("j" + i).path("status").asText()).isEqualTo("success");
                assertThat(job("j" + i).path("expirations").asInt()).isZero();
                assertThat(job("j" + i).path("attempt").asInt()).isEqualTo(1);
            }
        } finally {
            end(ahead);
            end(behind);
        }
    }

    @Test
    void a_command_two_hours_ahead_counts_from_the_servers_time(TestDatabase database) throws Exception {
        shell.done("enqueue", "email", "1");
        shell.done("enqueue", "report", "1", "--in", "1ms");
        assertThat(ahead(database, "list", "--type", "email", "--since", "1h", "-o", "id"))
                .containsExactly("1");
        assertThat(ahead(database, "counts", "--type", "report").get(1)).doesNotContain("h ago");
        Instant before = Instant.now();
        ahead(database, "enqueue", "email", "2", "--in", "1h");
        ahead(database, "reschedule", "email", "1", "--in", "1h");
        shell.done("enqueue", "email", "3");
        ahead(database, "enqueue", "email", "4", "--at", "+1h");
        ahead(database, "reschedule", "email", "3", "--at", "+1h");
        for (String id : List.of("1", "2", "3", "4")) {
            assertIsInAnHour(job(id).path("scheduledTime"), before);
        }
        ahead(database, "cron", "add", "nightly", "email", "--every", "1d", "--from", "+1h");
        assertIsInAnHour(shell.done("cron", "list", "-o", "json").json().get(0).path("from"), before);
    }

    private static void assertIsInAnHour(JsonNode time, Instant before) {
        assertThat(Instant.parse(time.asText()))
                .isBetween(before.plusSeconds(3_590), Instant.now().plusSeconds(3_610));
    }

    @Test
    void failures_of_the_last_hour_are_those_by_the_servers_clock(TestDatabase database) throws Exception {
        try (JobQueue queue = TestShell.queue(database)) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            ClaimedJob claim = queue.claim(new JobId("email", "1")).orElseThrow();
            claim.fail(JobError.Kind.FAILED, "no such address", null, true);
        }
        assertThat(ahead(database, "failures", "--since", "1h")).anyMatch(line -> line.contains("no such address"));
    }

    /** The output of a command whose time of day is two hours ahead. */
    private static List<String> ahead(TestDatabase database, String... command) throws Exception {
        Process process = process(database, "+2h", List.of(command))
                .redirectOutput(ProcessBuilder.Redirect.PIPE)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out.lines().toList();
    }

    private JsonNode job(String id) {
        return shell.run("inspect", "email", id, "-o", "json").json();
    }

    private static Process worker(TestDatabase database, String clock, String... program) throws Exception {
        List<String> command = new ArrayList<>(List.of("work", "email", "--concurrency", "2", "--"));
        command.addAll(List.of(program));
        return process(database, clock, command).start();
    }

    private static ProcessBuilder process(TestDatabase database, String clock, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("faketime", "-f", clock));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.couchjobs.cli.Main"));
        command.addAll(List.of("--url", database.url().toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(ONLY_THE_TIME_OF_DAY);
        builder.environment().put("COUCHJOBS_CONFIG", "/dev/null");
        database.user().ifPresent(user -> builder.environment().put("COUCHJOBS_USER", user));
        database.password().ifPresent(password -> builder.environment().put("COUCHJOBS_PASSWORD", password));
        return builder;
    }

    /** Before the server goes. The worker is a child of faketime, which does not pass a KILL on. */
    private static void end(Process faketime) throws Exception {
        List<ProcessHandle> workers = faketime.descendants().toList();
        workers.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle worker : workers) {
            worker.onExit().get(30, TimeUnit.SECONDS);
        }
        faketime.destroyForcibly().waitFor();
    }

    private static boolean isInstalled() {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.of(path.split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "faketime")));
    }
}
