package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.cli.child.Jvm;
import io.couchjobs.embedded.EmbeddedCouch;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.SequenceInputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Lines that come one by one, as {@code tail -f} writes them. */
@Timeout(120)
@DisabledOnOs(OS.WINDOWS)
class SlowInputTest {
    private static final PrintWriter NOWHERE = new PrintWriter(Writer.nullWriter());

    private final EmbeddedCouch couch =
            EmbeddedCouch.inMemory().database("queue").port(0).start();
    private final TestShell shell = new TestShell().with("COUCHJOBS_URL", couch.url() + "queue");
    private Process enqueue;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() throws Exception {
        shell.done("init");
        ProcessBuilder builder = Jvm.again(List.of(), List.of("enqueue", "email", "--from", "-", "--format", "lines"));
        builder.redirectError(folder.resolve("err").toFile());
        builder.environment().put("COUCHJOBS_CONFIG", "/dev/null");
        builder.environment().put("COUCHJOBS_URL", couch.url() + "queue");
        enqueue = builder.start();
    }

    @AfterEach
    void end() throws Exception {
        enqueue.destroyForcibly().waitFor();
        couch.close();
    }

    @Test
    void a_line_is_stored_while_the_next_one_is_awaited_and_a_signal_tells_how_many_were() throws Exception {
        write("one\ntwo\n");
        awaitJobs(2);
        write("three\n");
        awaitJobs(3);

        enqueue.toHandle().destroy();

        assertThat(enqueue.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(enqueue.exitValue()).isEqualTo(130);
        assertThat(new String(enqueue.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("added 3, updated 0, unchanged 0, rejected 0\n");
        assertThat(said()).containsPattern("3 lines in .*, stopped before the end");
    }

    @Test
    void the_time_of_a_job_is_counted_from_when_its_line_came() {
        AtomicLong secondCame = new AtomicLong();
        InputStream in = new SequenceInputStream(line("one\n"), new FilterInputStream(line("two\n")) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                secondCame.compareAndSet(0, nextMillisecond());
                return super.read(bytes, offset, length);
            }
        });
        Shell here = new Shell(
                in, NOWHERE, NOWHERE, shell.environment(), folder, Shell.Terminals.NONE, question -> Optional.empty());
        assertThat(Cli.run(here, "enqueue", "late", "--from", "-", "--format", "lines", "--in", "10m"))
                .isZero();

        JsonNode jobs = shell.done("list", "--type", "late", "-o", "json").json();
        assertThat(jobs.findValuesAsText("scheduledTime")).hasSize(2).anySatisfy(time -> assertThat(Instant.parse(time))
                .isAfterOrEqualTo(Instant.ofEpochMilli(secondCame.get()).plus(Duration.ofMinutes(10))));
    }

    private static InputStream line(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    /** {@return the time, when it is another one than at the beginning} */
    private static long nextMillisecond() {
        long before = System.currentTimeMillis();
        while (System.currentTimeMillis() == before) {
            Thread.onSpinWait();
        }
        return before + 1;
    }

    private void write(String lines) throws Exception {
        OutputStream in = enqueue.getOutputStream();
        in.write(lines.getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    private void awaitJobs(int count) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (shell.done("list", "-o", "json").json().size() < count) {
            assertThat(System.nanoTime()).as(said()).isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private String said() throws Exception {
        return Files.readString(folder.resolve("err"));
    }
}
