package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.Format;
import io.couchjobs.cli.output.Output;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Logs;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.Subscription;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code logs TYPE ID}: shows the log of a job's runs. */
@Command(
        name = "logs",
        description = {
            "Show the log of a job, of all its runs, oldest first.",
            "With -o json the log is an array with an object for each line: attempt, at and line. With -o ndjson, or --follow, each object is a line of JSON."
        },
        footer = {
            "  couchjobs logs email 42",
            "  couchjobs logs email 42 --follow",
            "  couchjobs logs email 42 -o ndjson | jq -r .line"
        })
final class LogsCommand extends QueueCommand {
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    @Mixin
    private final JobName name = new JobName();

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with what is added, until the job is finished.")
    private boolean follow;

    @Override
    void check() {
        name.id();
    }

    @Override
    ExitCode run(JobQueue queue) throws InterruptedException {
        JobId id = name.id();
        if (queue.get(id.type(), id.id()).isEmpty()) {
            throw new NotFoundException(id);
        }
        Output output = output();
        if (!follow && output.format() == Format.JSON) {
            output.line(() -> "", () -> array(queue, id));
            return ExitCode.DONE;
        } else if (!follow) {
            AtomicBoolean hasLog = new AtomicBoolean();
            queue.logs()
                    .read(id.type(), id.id())
                    .takeWhile(chunk -> !output.isClosed())
                    .forEach(chunk -> {
                        hasLog.set(true);
                        show(chunk, output);
                    });
            if (!hasLog.get() && !output.isClosed()) {
                root().say("couchjobs: " + id + " has no log");
            }
            return ExitCode.DONE;
        }
        return follow(
                queue,
                id,
                output.format() == Format.JSON ? new Output(root().shell().out(), Format.NDJSON, false) : output);
    }

    /** Follows the log until the job ends or standard output is closed. */
    private static ExitCode follow(JobQueue queue, JobId id, Output output) throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        try (Subscription job = queue.subscribe(id.type(), id.id());
                Logs.Following log = queue.logs().follow(id.type(), id.id(), chunk -> {
                    show(chunk, output);
                    if (output.isClosed()) {
                        over.countDown();
                    }
                })) {
            var unused = job.ended().whenComplete((end, closed) -> over.countDown());
            over.await();
            if (!output.isClosed()) {
                log.finish(FOR_EVER);
            }
        }
        return ExitCode.DONE;
    }

    private static ArrayNode array(JobQueue queue, JobId id) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        queue.logs().read(id.type(), id.id()).flatMap(LogsCommand::lines).forEach(line -> array.add(json(line)));
        return array;
    }

    private static void show(Logs.Chunk chunk, Output output) {
        lines(chunk).forEach(line -> show(line, output));
    }

    private static Stream<Logs.Chunk.Line> lines(Logs.Chunk chunk) {
        if (chunk.dropped() == 0) {
            return chunk.lines().stream();
        }
        String note = "(" + chunk.dropped() + " lines were dropped: they came faster than they could be stored)";
        Logs.Chunk.Line first = chunk.lines().get(0);
        return Stream.concat(
                Stream.of(new Logs.Chunk.Line(first.fence(), first.attempt(), first.at(), note)),
                chunk.lines().stream());
    }

    private static void show(Logs.Chunk.Line line, Output output) {
        output.line(() -> line.at() + "  " + line.text(), () -> json(line));
    }

    private static ObjectNode json(Logs.Chunk.Line line) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("attempt", line.attempt())
                .put("at", line.at().toString())
                .put("line", line.text());
    }
}
