package io.couchjobs.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With real programs: that is what breaks. */
@Timeout(60)
class ProgramTest {
    private static final String PATH = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");

    @TempDir
    private Path folder;

    @Test
    void a_program_finds_its_input_on_stdin_and_its_variables_in_the_environment() throws Exception {
        Program.Outcome outcome =
                sh("read line; echo \"$line $A\"").run(bytes("hello\n"), Map.of("A", "you"), line -> {});

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.output().toResult()).hasToString("{\"output\":\"hello you\"}");
    }

    @Test
    void output_that_is_json_is_the_result_as_it_is() throws Exception {
        assertThat(outputOf("echo '{\"a\": [1]}'")).isEqualTo("{\"a\":[1]}");
        assertThat(outputOf("echo 42")).isEqualTo("42");
        assertThat(outputOf("echo 42 43")).isEqualTo("{\"output\":\"42 43\"}");
        assertThat(outputOf("true")).isEqualTo("{\"output\":\"\"}");
    }

    @Test
    void a_program_that_does_not_read_its_input_is_no_error() throws Exception {
        byte[] megabytes = new byte[4_000_000];

        assertThat(sh("exit 0").run(megabytes, Map.of(), line -> {}).exitCode()).isZero();
        assertThat(sh("exec <&-; echo done")
                        .run(megabytes, Map.of(), line -> {})
                        .output()
                        .toResult())
                .hasToString("{\"output\":\"done\"}");
    }

    @Test
    void endless_output_is_cut_and_does_not_block_the_program() throws Exception {
        Program.Outcome outcome =
                sh("head -c 3000000 /dev/zero | tr '\\0' x; exit 3").run(new byte[0], Map.of(), line -> {});

        assertThat(outcome.exitCode()).isEqualTo(3);
        assertThat(outcome.output().toResult().path("truncated").asBoolean()).isTrue();
        assertThat(outcome.output().toResult().path("output").asText()).hasSize(Program.LONGEST_OUTPUT);
    }

    @Test
    void standard_error_arrives_line_by_line_and_a_line_without_end_in_pieces() throws Exception {
        ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();

        sh("echo one >&2; echo two >&2; head -c 10000 /dev/zero | tr '\\0' x >&2")
                .run(new byte[0], Map.of(), log::add);

        assertThat(log).hasSize(4).startsWith("one", "two");
        assertThat(log.stream().skip(2).mapToInt(String::length).sum()).isEqualTo(10_000);
    }

    @Test
    void the_output_that_a_program_wrote_before_its_end_is_read_to_the_end_however_long_that_takes() throws Exception {
        ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();

        sh("echo slow >&2; head -c 10000 /dev/zero | tr '\\0' x >&2").run(new byte[0], Map.of(), line -> {
            if (line.equals("slow")) {
                takeTwoSeconds();
            }
            log.add(line);
        });

        assertThat(log.stream().skip(1).mapToInt(String::length).sum()).isEqualTo(10_000);
    }

    @Test
    void an_interrupt_ends_the_program_and_all_that_it_started() throws Exception {
        BlockingQueue<String> log = new LinkedBlockingQueue<>();
        Running running = start(sh("sleep 600 & echo $! >&2; echo $$ >&2; wait"), log);
        long child = Long.parseLong(log.take());
        long parent = Long.parseLong(log.take());

        running.interrupt();

        assertThat(running.ended.get(30, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        awaitGone(child);
        awaitGone(parent);
    }

    @Test
    void a_program_that_ignores_TERM_is_killed_after_the_grace_period() throws Exception {
        BlockingQueue<String> log = new LinkedBlockingQueue<>();
        Program program =
                sh("trap '' TERM; echo $$ >&2; while true; do sleep 600; done").withGrace(Duration.ofMillis(200));
        Running running = start(program, log);
        long pid = Long.parseLong(log.take());

        running.interrupt();

        assertThat(running.ended.get(30, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        awaitGone(pid);
    }

    @Test
    void a_process_left_in_the_background_does_not_hold_up_the_job() throws Exception {
        BlockingQueue<String> log = new LinkedBlockingQueue<>();

        Program.Outcome outcome = sh("sleep 600 & echo $! >&2; echo done").run(new byte[0], Map.of(), log::add);

        ProcessHandle.of(Long.parseLong(log.take())).ifPresent(ProcessHandle::destroy);
        assertThat(outcome.output().toResult()).hasToString("{\"output\":\"done\"}");
    }

    @Test
    void the_later_output_of_a_process_in_the_background_holds_up_no_job_and_cuts_no_result() throws Exception {
        BlockingQueue<String> log = new LinkedBlockingQueue<>();

        Program.Outcome outcome = sh("while :; do echo more; sleep 0.1; done & echo $! >&2; echo done")
                .run(new byte[0], Map.of(), log::add);

        ProcessHandle.of(Long.parseLong(log.take())).ifPresent(ProcessHandle::destroy);
        assertThat(outcome.output().toResult().toString()).contains("done").doesNotContain("truncated");
    }

    @Test
    void a_program_that_cannot_be_started_is_refused_before_any_job_is_claimed() throws IOException {
        Path plain = Files.writeString(folder.resolve("plain"), "#!/bin/sh\n");
        Path orphan = script("orphan", "#!/no/such/interpreter\n");

        assertRefused("/no/such/file", "no such file");
        assertRefused("no-such-program-anywhere", "no such program on the PATH");
        assertRefused(folder.toString(), "it is a folder");
        assertRefused(plain.toString(), "not executable");
        assertRefused(orphan.toString(), "its interpreter /no/such/interpreter cannot be run");
    }

    @Test
    void a_script_without_a_first_line_is_run_by_the_shell() throws Exception {
        Path script = script("bare", "echo hello\n");

        Program program = Program.of(List.of(script.toString()), PATH);

        assertThat(program.run(new byte[0], Map.of(), line -> {}).output().toResult())
                .hasToString("{\"output\":\"hello\"}");
    }

    private static String outputOf(String script) throws Exception {
        return sh(script)
                .run(new byte[0], Map.of(), line -> {})
                .output()
                .toResult()
                .toString();
    }

    private static Program sh(String script) {
        return Program.of(List.of("sh", "-c", script), PATH);
    }

    private Path script(String name, String text) throws IOException {
        Path script = Files.writeString(folder.resolve(name), text);
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static void assertRefused(String program, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Program.of(List.of(program), PATH))
                .withMessageContaining(program)
                .withMessageContaining(reason);
    }

    private static Running start(Program program, BlockingQueue<String> log) throws InterruptedException {
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            started.countDown();
            try {
                program.run(new byte[0], Map.of(), log::add);
                ended.complete(null);
            } catch (Throwable thrown) {
                ended.complete(thrown);
            }
        });
        thread.start();
        started.await();
        return new Running(thread, ended);
    }

    private static void awaitGone(long pid) throws Exception {
        java.util.Optional<ProcessHandle> process = ProcessHandle.of(pid);
        if (process.isPresent()) {
            process.get().onExit().get(30, TimeUnit.SECONDS);
        }
    }

    private static void takeTwoSeconds() {
        try {
            TestQueue.work(2_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private record Running(Thread thread, CompletableFuture<Throwable> ended) {
        void interrupt() {
            thread.interrupt();
        }
    }
}
