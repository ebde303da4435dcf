package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.worker.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import java.util.stream.Stream;

/** The other end of a {@link Child}: carries out the commands on standard input. Not thread-safe. */
public final class WorkerLoop {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final String END = "";
    private static final Duration LAST_RUNS = Duration.ofSeconds(30);

    private final Function<String, JobQueue> queues;
    private final PrintWriter out;
    private final Runnable onEnd;
    private final List<JobQueue> open = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();

    /**
     * Creates a loop without workers.
     *
     * @param queues opens a queue in the database of a given name
     * @param out standard output
     * @param onEnd called by a separate thread as soon as standard input ends, because the parent is gone then
     */
    public WorkerLoop(Function<String, JobQueue> queues, PrintWriter out, Runnable onEnd) {
        this.queues = queues;
        this.out = out;
        this.onEnd = onEnd;
    }

    /**
     * Carries out commands until standard input ends.
     *
     * @param in standard input
     * @throws InterruptedException when interrupted
     */
    public void run(InputStream in) throws InterruptedException {
        BlockingQueue<String> commands = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(in, commands), "read-commands");
        reader.setDaemon(true);
        reader.start();
        for (String command = commands.take(); !command.equals(END); command = commands.take()) {
            say(answer(command));
        }
        stop();
    }

    private void read(InputStream in, BlockingQueue<String> commands) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                commands.add(line);
            }
        } catch (IOException gone) {
            // treated as the end of the input
        }
        onEnd.run();
        commands.add(END);
    }

    private ObjectNode answer(String line) {
        try {
            JsonNode command = MAPPER.readTree(line);
            return switch (command.path("do").asText()) {
                case "work" -> work(command);
                case "report" -> report().json();
                case "memory" -> memory();
                case "stop" -> stop();
                default -> node().put("error", "no such command: " + line);
            };
        } catch (IOException | RuntimeException trouble) {
            return node().put("error", String.valueOf(trouble.getMessage()));
        }
    }

    private ObjectNode work(JsonNode command) {
        for (int i = 0; i < command.path("workers").asInt(); i++) {
            JobQueue queue = queues.apply(command.path("database").asText());
            open.add(queue);
            workers.add(queue.worker()
                    .concurrency(command.path("concurrency").asInt())
                    .handler(command.path("type").asText(), (data, context) -> {
                        if (command.path("tell").asBoolean()) {
                            say(node().put("started", context.id().id()));
                        }
                        return null;
                    })
                    .start());
        }
        return node();
    }

    private ObjectNode stop() {
        workers.forEach(worker -> worker.close(LAST_RUNS));
        workers.clear();
        open.forEach(JobQueue::close);
        open.clear();
        return node();
    }

    private WorkReport report() {
        List<WorkReport> each =
                workers.stream().map(Worker::stats).map(WorkerLoop::of).toList();
        long requests = open.stream()
                .mapToLong(queue -> queue.database().server().requestCount())
                .sum();
        return WorkReport.sum(each).plus(new WorkReport(0, 0, 0, requests, cpuMillis()));
    }

    private static WorkReport of(Worker.Stats stats) {
        return new WorkReport(stats.claimed(), stats.succeeded(), stats.conflicts(), 0, 0);
    }

    private static ObjectNode memory() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        ObjectNode memory = node();
        memory.put("heap_mb", Numbers.rounded((runtime.totalMemory() - runtime.freeMemory()) / (1024.0 * 1024.0)));
        residentKilobytes().ifPresent(kilobytes -> memory.put("rss_mb", Numbers.rounded(kilobytes / 1024.0)));
        return memory;
    }

    private static OptionalLong residentKilobytes() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst();
        } catch (IOException another) {
            return OptionalLong.empty();
        }
    }

    private static long cpuMillis() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime() / 1_000_000
                : 0;
    }

    private synchronized void say(ObjectNode line) {
        out.println(line);
        out.flush();
    }

    private static ObjectNode node() {
        return JsonNodeFactory.instance.objectNode();
    }
}
