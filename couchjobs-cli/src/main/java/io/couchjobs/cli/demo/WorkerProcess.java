package io.couchjobs.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.couchjobs.cli.child.Jvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A worker in a separate process. It reports when it is ready, and starts work when told. Now and then it reports its work so far
 * as a line of JSON. It ends when the queue is empty, or when this process, the other end of its standard input, is gone.
 * Thread-safe.
 */
final class WorkerProcess implements AutoCloseable {
    private static final JsonMapper MAPPER = new JsonMapper();

    private final String id;
    private final Process process;
    private final CountDownLatch ready = new CountDownLatch(1);
    private final Thread reader;
    private volatile JsonNode report = MissingNode.getInstance();

    private WorkerProcess(String id, Process process) {
        this.id = id;
        this.process = process;
        this.reader = new Thread(this::read, "read-" + id);
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a JVM with the classes and options of this one. */
    static WorkerProcess start(String id, List<String> arguments, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = Jvm.again(List.of(), arguments);
        builder.environment().putAll(environment);
        return new WorkerProcess(id, builder.start());
    }

    String id() {
        return id;
    }

    /** {@return a count that the worker has reported, by the name of its field} */
    long count(String what) {
        return report.path(what).asLong();
    }

    /** Waits until the worker is ready or dead. */
    void awaitReady() throws InterruptedException {
        ready.await();
    }

    void go() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException dead) {
            // the exit code will tell
        }
    }

    /** {@return whether the worker ended within the given time} */
    boolean awaitEnd(long millis) throws InterruptedException {
        if (!process.waitFor(millis, TimeUnit.MILLISECONDS)) {
            return false;
        }
        reader.join();
        return true;
    }

    int exitCode() {
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroy();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                report = MAPPER.readTree(line);
                ready.countDown();
            }
        } catch (IOException dead) {
            // the exit code will tell
        } finally {
            ready.countDown();
        }
    }
}
