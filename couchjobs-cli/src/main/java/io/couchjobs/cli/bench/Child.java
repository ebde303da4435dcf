package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.child.Jvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;

/**
 * The parent's view of a worker process. Its commands are lines of JSON, and it answers each with a line. It ends with this
 * process, however this process ends, because its standard input ends. One thread at a time may send commands; any thread may
 * call {@link #close}.
 */
final class Child implements AutoCloseable {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final long PATIENCE_SECONDS = 120;

    private final Process process;
    private final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
    private volatile ObjLongConsumer<String> onStarted = (id, nanos) -> {};

    private Child(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "read-bench-worker-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    static Child start(Place place, List<String> jvmOptions) throws IOException {
        ProcessBuilder builder = Jvm.worker(jvmOptions, place.worker());
        builder.environment().putAll(place.environment());
        return new Child(builder.start());
    }

    /**
     * Sets a listener for starts of handlers. It gets the job, and the {@link System#nanoTime} at which this process learned of
     * the start.
     */
    void onStarted(ObjLongConsumer<String> listener) {
        onStarted = listener;
    }

    /** Starts workers in the process, each with a client of its own. */
    void work(String database, String type, int workers, int concurrency, boolean tell)
            throws IOException, InterruptedException {
        ask(command("work")
                .put("database", database)
                .put("type", type)
                .put("workers", workers)
                .put("concurrency", concurrency)
                .put("tell", tell));
    }

    /** Returns the work of its workers since they started. */
    WorkReport report() throws IOException, InterruptedException {
        return WorkReport.of(ask(command("report")));
    }

    /**
     * Returns {@code heap_mb}, the heap in use after a garbage collection, and {@code rss_mb}, the resident memory of the
     * process, where {@code /proc} tells that.
     */
    ObjectNode memory() throws IOException, InterruptedException {
        return (ObjectNode) ask(command("memory"));
    }

    /** Closes the workers; the running jobs may finish. */
    void stop() throws IOException, InterruptedException {
        ask(command("stop"));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private static ObjectNode command(String name) {
        return JsonNodeFactory.instance.objectNode().put("do", name);
    }

    private JsonNode ask(ObjectNode command) throws IOException, InterruptedException {
        try {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException gone) {
            throw new IOException("a worker process died", gone);
        }
        JsonNode answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (answer == null || answer.has("error")) {
            throw new IOException(
                    answer == null
                            ? "a worker process does not answer"
                            : "a worker process: " + answer.path("error").asText());
        }
        return answer;
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                long heard = System.nanoTime();
                JsonNode said = MAPPER.readTree(line);
                if (said.has("started")) {
                    onStarted.accept(said.path("started").asText(), heard);
                } else {
                    answers.add(said);
                }
            }
        } catch (IOException dead) {
            // reported below
        }
        answers.add(JsonNodeFactory.instance.objectNode().put("error", "it died"));
    }
}
