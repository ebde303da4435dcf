package io.couchjobs.cli.top;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.JobStatus;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Optional;

/** Shows a queue at one moment, without a terminal. Stateless. */
public final class Top {
    private static final int WIDTH = 160;

    private Top() {}

    /**
     * Prints everything, without colours.
     *
     * @param queue the queue
     * @param out the output
     */
    public static void print(JobQueue queue, PrintWriter out) {
        Frame.text(Snapshot.of(queue, Meter.Rates.UNKNOWN, Optional.empty()), WIDTH)
                .forEach(out::println);
        out.flush();
    }

    /**
     * {@return the same as JSON for programs}
     *
     * @param queue the queue
     */
    public static ObjectNode json(JobQueue queue) {
        return json(Snapshot.of(queue, Meter.Rates.UNKNOWN, Optional.empty()));
    }

    static ObjectNode json(Snapshot snapshot) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("database", snapshot.database())
                .put("at", snapshot.now().toString());
        ObjectNode types = json.putObject("types");
        snapshot.types().forEach((name, counts) -> {
            ObjectNode type = types.putObject(name);
            for (JobStatus status : JobStatus.values()) {
                type.put(status.json(), counts.byStatus().getOrDefault(status, 0L));
            }
            type.put("paused", snapshot.paused().contains(name));
            type.put(
                    "oldestPending",
                    counts.oldestPending().map(Instant::toString).orElse(null));
        });
        ArrayNode workers = json.putArray("workers");
        snapshot.workers().forEach(worker -> workers.addObject()
                .put("id", worker.id())
                .put("silent", worker.isSilent(snapshot.now()))
                .put("jobs", worker.jobs().size()));
        ArrayNode failures = json.putArray("failures");
        snapshot.failures().forEach(job -> failures.addObject()
                .put("type", job.type())
                .put("id", job.id().id())
                .put("status", job.status().json())
                .put(
                        "error",
                        job.errors().isEmpty()
                                ? null
                                : job.errors().get(job.errors().size() - 1).message()));
        return json;
    }
}
