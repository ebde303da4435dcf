package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.Output;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Logs;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.Subscription;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code logs TYPE ID}: the log of a job's runs. */
@Command(
        name = "logs",
        description = {
            "Show the log of a job, of all its runs, oldest first.",
            "With -o json or ndjson each line is an object of its own: attempt, at and line."
        },
        footer = {
            "",
            "Examples:",
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
        if (!follow) {
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
        return follow(queue, id, output);
    }

    /** Follows the log to the end of the job, or until the reader has gone. */
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

    private static void show(Logs.Chunk chunk, Output output) {
        if (chunk.dropped() > 0) {
            String note = "(" + chunk.dropped() + " lines were dropped: they came faster than they could be stored)";
            Logs.Chunk.Line first = chunk.lines().get(0);
            show(new Logs.Chunk.Line(first.fence(), first.attempt(), first.at(), note), output);
        }
        chunk.lines().forEach(line -> show(line, output));
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
