package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Runs jobs that do nothing, in worker processes. The workers are started first, while the type is paused, so that neither their
 * start nor the building of the indexes counts. The measured time runs from the end of the pause to the end of the last job.
 */
record Drain(OwnDatabases databases, Payload payload, Crew crew, ServerCpu server, Plan plan, Steps steps) {
    private static final int ITEMS_OF_A_CHUNK = 500;

    /**
     * The result of a drain.
     *
     * @param perSecond jobs a second, of all processes together
     * @param wasted claims lost to other workers, per job
     * @param clientMillis processor time of the worker processes, per job
     * @param serverMillis processor time of the server, per job; empty when it is unknown
     */
    record Drained(double perSecond, double wasted, double clientMillis, OptionalDouble serverMillis) {}

    Drained emptyQueue(int processes) throws IOException, InterruptedException {
        return emptyQueue(processes, plan.concurrency(), plan.jobs());
    }

    Drained emptyQueue(int processes, int concurrency, int jobs) throws IOException, InterruptedException {
        JobQueue queue = databases.queue();
        try {
            fill(queue, jobs);
            return run(queue, processes, concurrency, jobs);
        } finally {
            databases.drop(queue);
        }
    }

    void fill(JobQueue queue, int jobs) {
        steps.detail("adding " + jobs + " jobs");
        Enqueue.addAll(queue, Stream.generate(payload::job).limit(jobs).toList());
    }

    /**
     * Adds jobs that are not run: every other job is due, but comes after the jobs that are measured; the rest are for another
     * day.
     */
    void fillBeside(JobQueue queue, int jobs, Instant now) {
        int added = 0;
        while (added < jobs) {
            int from = added;
            int count = Math.min(2_000, jobs - added);
            List<JobRequest> some = Stream.iterate(from, i -> i + 1)
                    .limit(count)
                    .map(i -> i % 2 == 0 ? payload.job(now) : payload.job(now.plusSeconds(86_400 + i)))
                    .toList();
            Enqueue.addAll(queue, some);
            added += count;
            steps.detail("backlog: added " + added + " of " + jobs);
        }
    }

    /** Runs the given number of due jobs. */
    Drained run(JobQueue queue, int processes, int jobs) throws IOException, InterruptedException {
        return run(queue, processes, plan.concurrency(), jobs);
    }

    private Drained run(JobQueue queue, int processes, int concurrency, int jobs)
            throws IOException, InterruptedException {
        return run(queue, processes, concurrency, jobs, 1, () -> {});
    }

    /**
     * Adds an array whose items are numbers, and runs them in one process. The time counts from before the add.
     *
     * @return the result, per item
     */
    Drained runArray(JobQueue queue, int items) throws IOException, InterruptedException {
        List<Map<String, Integer>> numbers = IntStream.range(0, items)
                .mapToObj(number -> Map.of("n", number))
                .toList();
        int chunks = (items + ITEMS_OF_A_CHUNK - 1) / ITEMS_OF_A_CHUNK;
        JobRequest template =
                JobRequest.builder(Payload.TYPE).id("array").data(Map.of()).build();
        return run(queue, 1, plan.concurrency(), chunks, (double) items / chunks, () -> queue.arrays()
                .add(template, numbers, ITEMS_OF_A_CHUNK));
    }

    /** Runs jobs. The figures are per unit, and a job has {@code unitsOfAJob} units. */
    private Drained run(JobQueue queue, int processes, int concurrency, int jobs, double unitsOfAJob, Runnable onResume)
            throws IOException, InterruptedException {
        buildIndex(queue);
        Crew.Shift shift = start(queue, crew, processes, concurrency);
        try {
            WorkReport before = shift.report();
            OptionalDouble serverBefore = server.millis();
            long started = System.nanoTime();
            resume(queue);
            onResume.run();
            await(shift, jobs);
            double seconds = Time.secondsSince(started);
            WorkReport report = shift.report().minus(before);
            double done = report.succeeded() * unitsOfAJob;
            return new Drained(
                    done / seconds,
                    report.conflicts() / done,
                    report.cpuMillis() / done,
                    server.since(serverBefore, done));
        } finally {
            shift.stop();
        }
    }

    /** Runs the given number of due jobs in one process, and returns how much memory is in use there afterwards. */
    ObjectNode memoryAfter(JobQueue queue, Crew workers, int jobs) throws IOException, InterruptedException {
        buildIndex(queue);
        Crew.Shift shift = start(queue, workers, 1, plan.concurrency());
        try {
            resume(queue);
            await(shift, jobs);
            return shift.children().get(0).memory();
        } finally {
            shift.stop();
        }
    }

    private Crew.Shift start(JobQueue queue, Crew workers, int processes, int concurrency)
            throws IOException, InterruptedException {
        queue.types().change(Payload.TYPE, settings -> settings.withPaused(true));
        Crew.Shift shift = workers.start(queue.database().name(), processes, 1, concurrency, false);
        // The search that workers make once, when they start, is not part of the measured work.
        Thread.sleep(plan.settling().toMillis());
        return shift;
    }

    private static void resume(JobQueue queue) {
        queue.types().change(Payload.TYPE, settings -> settings.withPaused(false));
    }

    private void await(Crew.Shift shift, int jobs) throws IOException, InterruptedException {
        shift.awaitRuns(jobs, done -> steps.detail(done + " of " + jobs + " jobs run"));
    }

    private void buildIndex(JobQueue queue) {
        steps.detail("building the indexes");
        queue.types().pendingCount(Payload.TYPE, Instant.now(), 1);
        queue.types().counts();
    }
}
