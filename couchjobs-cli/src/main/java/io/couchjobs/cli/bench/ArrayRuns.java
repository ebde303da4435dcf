package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.DatabaseInfo;
import java.io.IOException;

/**
 * Measures the items of an array that do nothing, from before the add to the end of the last item, in turn with draining single
 * jobs. The array has ten items for each job.
 */
final class ArrayRuns {
    private static final int ITEMS_PER_JOB = 10;

    private final OwnDatabases databases;
    private final Drain drain;
    private final Plan plan;
    private final Steps steps;
    private final Samples rates = new Samples();
    private final Samples ofDrain = new Samples();
    private final Samples clientMicros = new Samples();
    private final Samples bytes = new Samples();

    ArrayRuns(OwnDatabases databases, Drain drain, Plan plan, Steps steps) {
        this.databases = databases;
        this.drain = drain;
        this.plan = plan;
        this.steps = steps;
    }

    private int items() {
        return ITEMS_PER_JOB * plan.jobs();
    }

    ObjectNode measure() throws IOException, InterruptedException {
        for (int round = 1; round <= plan.rounds(); round++) {
            String which = "round " + round + " of " + plan.rounds() + ": ";
            steps.begin(which + "draining jobs");
            double jobs = drain.emptyQueue(1).perSecond();
            steps.begin(which + "running the items of an array");
            Drain.Drained items = run();
            rates.add(items.perSecond());
            ofDrain.add(items.perSecond() / jobs);
            clientMicros.add(1_000 * items.clientMillis());
        }
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("items", items())
                .put("per_s", Numbers.rounded(rates.median()))
                .put("of_drain", Numbers.rounded(ofDrain.median()))
                .put("of_drain_min", Numbers.rounded(ofDrain.least()))
                .put("of_drain_max", Numbers.rounded(ofDrain.greatest()))
                .put("client_cpu_us", Numbers.rounded(clientMicros.median()));
        return bytes.isEmpty() ? json : json.put("bytes_per_item", Numbers.rounded(bytes.median()));
    }

    private Drain.Drained run() throws IOException, InterruptedException {
        JobQueue queue = databases.queue();
        try {
            DatabaseInfo before = queue.database().info();
            Drain.Drained items = drain.runArray(queue, items());
            DatabaseInfo after = queue.database().info();
            if (after.activeSize() >= 0) { // PouchDB Server reports no sizes
                bytes.add((double) (after.activeSize() - before.activeSize()) / items());
            }
            return items;
        } finally {
            databases.drop(queue);
        }
    }
}
