package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.cli.child.Jvm;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a worker process ends by TERM, or by two of them. */
@Timeout(120)
@DisabledOnOs(OS.WINDOWS)
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class SignalsTest {
    /** Five are promised of the halt; the rest is for a slow machine. */
    private static final long SECONDS = 15;

    /** For workers that end by themselves, however slow the machine is. */
    private static final String WITHOUT_HALT = "-Dcouchjobs.halt=600000";

    private static final String SAYS_ITS_PID = "cd \"$FOLDER\"; echo $$ > pid.new; mv pid.new pid; ";

    private final EmbeddedCouch couch =
            EmbeddedCouch.inMemory().database("queue").port(0).start();
    private final TestShell shell = new TestShell().with("COUCHJOBS_URL", couch.url() + "queue");
    private Process worker;

    @TempDir
    private Path folder;

    @BeforeEach
    void addJob() {
        shell.run("init");
        shell.run("enqueue", "email", "1");
    }

    @AfterEach
    void end() throws Exception {
        worker.descendants().forEach(ProcessHandle::destroyForcibly);
        worker.destroyForcibly().waitFor();
        couch.close();
    }

    @Test
    void a_worker_that_drained_on_TERM_exits_0() throws Exception {
        work(SAYS_ITS_PID + "while [ ! -e go ]; do sleep 0.05; done");
        term("waiting for 1 running");
        Files.createFile(folder.resolve("go"));
        assertThat(exitCode()).isZero();
        assertThat(said()).doesNotContain("Exception");
        assertThat(status()).isEqualTo("success");
    }

    /** The worker's registration is held until the test releases it. */
    private Faults.Held termWhileItStarts() throws Exception {
        Faults.Held start = couch.faults()
                .delay(
                        1,
                        request ->
                                request.method().equals("PUT") && request.path().contains("/worker"));
        start(List.of(), "true");
        assertThat(start.awaitArrival(60)).as(said()).isTrue();
        term("stopping when the worker has started");
        return start;
    }

    @Test
    void a_worker_that_gets_TERM_while_it_starts_leaves_no_job_owned_and_exits_0() throws Exception {
        Faults.Held start = termWhileItStarts();
        start.release();
        assertThat(exitCode()).isZero();
        assertThat(status()).isIn("waiting", "success");
    }

    @Test
    void two_TERMs_end_a_worker_that_cannot_start() throws Exception {
        var unused = termWhileItStarts();
        term("ending within 5 s");
        assertThat(haltedExitCode()).isEqualTo(130);
        assertThat(said()).containsOnlyOnce("stopping when the worker has started");
    }

    @Test
    void a_second_TERM_gives_the_job_back_and_exits_130() throws Exception {
        work(List.of(WITHOUT_HALT), SAYS_ITS_PID + "exec sleep 600");
        term("waiting for 1 running");
        term("stopping the running jobs");
        assertThat(exitCode()).isEqualTo(130);
        assertThat(status()).isEqualTo("waiting");
    }

    @Test
    void a_second_TERM_ends_a_worker_in_time_whose_server_is_well() throws Exception {
        work(SAYS_ITS_PID + "exec sleep 600");
        term("waiting for 1 running");
        term("stopping the running jobs");
        assertThat(haltedExitCode()).isEqualTo(130);
    }

    @Test
    void a_program_that_ignores_TERM_is_killed_by_the_second_and_its_job_given_back() throws Exception {
        work(List.of(WITHOUT_HALT), "trap '' TERM; " + SAYS_ITS_PID + "while :; do sleep 1; done");
        ProcessHandle program = program();
        term("waiting for 1 running");
        term("stopping the running jobs");
        assertThat(exitCode()).isEqualTo(130);
        assertThat(program.isAlive()).isFalse();
        assertThat(status()).isEqualTo("waiting");
    }

    @Test
    void a_second_TERM_ends_a_worker_whose_server_is_gone() throws Exception {
        work(SAYS_ITS_PID + "exec sleep 600");
        ProcessHandle program = program();
        term("waiting for 1 running");
        couch.close();
        term("stopping the running jobs");
        assertThat(haltedExitCode()).isEqualTo(130);
        assertThat(program.isAlive()).isFalse();
    }

    @Test
    void a_second_TERM_ends_a_worker_whose_server_does_not_answer_and_whose_program_ignores_it() throws Exception {
        work("trap '' TERM; " + SAYS_ITS_PID + "while :; do sleep 1; done");
        ProcessHandle program = program();
        term("waiting for 1 running");
        int port = couch.port();
        couch.close();
        try (ServerSocket silent = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
            term("stopping the running jobs");
            assertThat(haltedExitCode()).isEqualTo(130);
            assertThat(program.isAlive()).as("seen by " + silent).isFalse();
        }
    }

    /** The system may join two signals that follow each other at once, so it sends more of them. */
    @ParameterizedTest
    @ValueSource(strings = {"bench -q --only idle", "demo -q ."})
    void several_TERMs_end_a_command_whose_server_does_not_answer_any_more(String command) throws Exception {
        Faults.Held silence = couch.faults()
                .delay(
                        1_000,
                        request -> !request.method().equals("PUT")
                                && request.path().matches("/couchjobs-(bench|demo)-.*"));
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        words.addAll(List.of("--url", couch.url() + "queue"));
        start(Jvm.again(List.of(), words).directory(folder.toFile()));
        Files.createFile(folder.resolve("file"));
        assertThat(silence.awaitArrival(60)).as(said()).isTrue();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        do {
            worker.destroy();
            assertThat(System.nanoTime()).as(said()).isLessThan(deadline);
        } while (!worker.waitFor(500, TimeUnit.MILLISECONDS));
        assertThat(worker.exitValue()).isEqualTo(130);
    }

    private void work(String script) throws Exception {
        work(List.of(), script);
    }

    private void work(List<String> options, String script) throws Exception {
        start(options, script);
        until(() -> Files.exists(folder.resolve("pid")));
    }

    private void start(List<String> options, String script) throws Exception {
        start(Jvm.worker(options, List.of("work", "email", "--concurrency", "1", "--", "sh", "-c", script)));
    }

    private void start(ProcessBuilder builder) throws Exception {
        builder.redirectError(folder.resolve("err").toFile());
        builder.environment().put("FOLDER", folder.toString());
        builder.environment().put("COUCHJOBS_CONFIG", "/dev/null");
        builder.environment().put("COUCHJOBS_URL", couch.url() + "queue");
        worker = builder.start();
    }

    private ProcessHandle program() throws Exception {
        long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
        return ProcessHandle.of(pid).orElseThrow();
    }

    private void term(String answer) throws Exception {
        worker.destroy();
        until(() -> said().contains(answer));
    }

    private int exitCode() throws Exception {
        return exitCode(60);
    }

    private int haltedExitCode() throws Exception {
        return exitCode(SECONDS);
    }

    private int exitCode(long seconds) throws Exception {
        assertThat(worker.waitFor(seconds, TimeUnit.SECONDS))
                .as("it ends; it said: " + said())
                .isTrue();
        return worker.exitValue();
    }

    private String status() {
        return shell.run("inspect", "email", "1", "-o", "json")
                .json()
                .path("status")
                .asText();
    }

    private String said() throws Exception {
        return Files.readString(folder.resolve("err"));
    }

    private void until(Callable<Boolean> holds) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!holds.call()) {
            assertThat(System.nanoTime()).as(said()).isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }
}
