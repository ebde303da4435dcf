package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import java.io.IOException;

/** Measures workers that have nothing to do: their cost, and how many of them try to claim one new job. */
record Fleet(OwnDatabases databases, Payload payload, Crew crew, Plan plan, Steps steps) {
    /** The time after the job's end in which the last of the fleet may still try to claim it. */
    private static final long AFTERMATH_MS = 500;

    /** Measures one idle worker, after it has run a job. */
    ObjectNode idle() throws IOException, InterruptedException {
        JobQueue queue = databases.queue();
        Crew.Shift shift = crew.start(queue.database().name(), 1, 1, 1, false);
        try {
            queue.add(payload.job());
            shift.awaitRuns(1, done -> {});
            Thread.sleep(plan.settling().toMillis());
            steps.detail("watching for " + plan.idle().toSeconds() + " s");
            WorkReport before = shift.report();
            long started = System.nanoTime();
            Thread.sleep(plan.idle().toMillis());
            WorkReport during = shift.report().minus(before);
            double seconds = Time.secondsSince(started);
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("requests_per_min", Numbers.rounded(during.requests() * 60 / seconds))
                    .put("cpu_percent", Numbers.rounded(during.cpuMillis() / 10.0 / seconds))
                    .put("seconds", Numbers.rounded(seconds));
        } finally {
            shift.stop();
            databases.drop(queue);
        }
    }

    /**
     * Measures how many claims idle workers try for one job. Each worker has its own client; the workers share a few processes.
     */
    ObjectNode herd() throws IOException, InterruptedException {
        JobQueue queue = databases.queue();
        int processes = Math.min(plan.processes(), plan.herd());
        int each = (plan.herd() + processes - 1) / processes;
        Crew.Shift shift = crew.start(queue.database().name(), processes, each, 1, false);
        try {
            Thread.sleep(plan.settling().toMillis());
            WorkReport before = shift.report();
            for (int job = 1; job <= plan.samples(); job++) {
                queue.add(payload.job());
                shift.awaitRuns(before.succeeded() + job, done -> {});
                Thread.sleep(AFTERMATH_MS);
                steps.detail(job + " of " + plan.samples() + " jobs");
            }
            WorkReport during = shift.report().minus(before);
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("workers", each * processes)
                    .put("processes", processes)
                    .put("claims_per_job", Numbers.rounded((double) during.attempts() / plan.samples()));
        } finally {
            shift.stop();
            databases.drop(queue);
        }
    }
}
