package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Measures work beside a large backlog, half of which is due and half scheduled for later. Not thread-safe. */
final class Beside implements AutoCloseable {
    private static final int HEAP_MB = 64;

    private final OwnDatabases databases;
    private final Drain drain;
    private final Place place;
    private final Plan plan;
    private final Steps steps;
    private @Nullable JobQueue large;

    Beside(OwnDatabases databases, Drain drain, Place place, Plan plan, Steps steps) {
        this.databases = databases;
        this.drain = drain;
        this.place = place;
        this.plan = plan;
        this.steps = steps;
    }

    /** Measures the rate beside the backlog and the rate beside a small one, in turn. */
    ObjectNode backlog() throws IOException, InterruptedException {
        JobQueue big = large();
        JobQueue small = databases.queue();
        try {
            drain.fillBeside(small, Plan.SMALL_BACKLOG, Instant.now());
            round("warming up", small);
            Samples rates = new Samples();
            Samples ratios = new Samples();
            for (int round = 1; round <= plan.rounds(); round++) {
                String which = "round " + round + " of " + plan.rounds() + ": backlog of ";
                double alone = round(which + "1,000", small);
                double beside = round(which + plan.backlog(), big);
                rates.add(beside);
                ratios.add(beside / alone);
            }
            ObjectNode json = JsonNodeFactory.instance
                    .objectNode()
                    .put("jobs", plan.backlog())
                    .put("drain_of_small", Numbers.rounded(ratios.median()))
                    .put("drain_of_small_min", Numbers.rounded(ratios.least()))
                    .put("drain_of_small_max", Numbers.rounded(ratios.greatest()));
            return json.put("per_s", Numbers.rounded(rates.median()));
        } finally {
            databases.drop(small);
        }
    }

    private double round(String step, JobQueue queue) throws IOException, InterruptedException {
        steps.begin(step);
        drain.fill(queue, plan.jobs());
        return drain.run(queue, 1, plan.jobs()).perSecond();
    }

    /** Measures the memory of a worker in a small JVM. */
    ObjectNode memory() throws IOException, InterruptedException {
        JobQueue queue = large();
        try (Crew small = new Crew(place, List.of("-Xmx" + HEAP_MB + "m"))) {
            drain.fill(queue, plan.jobs());
            return drain.memoryAfter(queue, small, plan.jobs())
                    .put("max_mb", HEAP_MB)
                    .put("concurrency", plan.concurrency())
                    .put("backlog", plan.backlog());
        }
    }

    private JobQueue large() throws InterruptedException {
        JobQueue present = large;
        if (present == null) {
            present = databases.queue();
            drain.fillBeside(present, plan.backlog(), Instant.now());
            large = present;
            tidy(present);
        }
        return present;
    }

    /**
     * Has the server index and compact the database now. After so many writes the server would compact at some time, which must
     * not happen during a measurement.
     */
    private void tidy(JobQueue queue) throws InterruptedException {
        queue.operations()
                .gc()
                .onProgress(now -> steps.detail("having the server index and compact the backlog"))
                .run()
                .problems()
                .forEach(steps::detail);
    }

    @Override
    public void close() {
        if (large != null) {
            databases.drop(large);
        }
    }
}
