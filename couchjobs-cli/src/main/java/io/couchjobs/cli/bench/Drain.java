package io.couchjobs.cli.bench;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs jobs that do nothing, in worker processes. The workers are started before, and their type is paused, so that neither their
 * start nor the building of the index counts. The measured time is that from the end of the pause to the last job's end.
 */
final class Drain {
    private final OwnDatabases databases;
    private final Payload payload;
    private final Crew crew;
    private final Plan plan;
    private final Steps steps;

    Drain(OwnDatabases databases, Payload payload, Crew crew, Plan plan, Steps steps) {
        this.databases = databases;
        this.payload = payload;
        this.crew = crew;
        this.plan = plan;
        this.steps = steps;
    }

    /**
     * How it went.
     *
     * @param perSecond jobs a second, of all processes together
     * @param wasted claims lost to others, per job
     */
    record Drained(double perSecond, double wasted) {}

    Drained emptyQueue(int processes) throws IOException, InterruptedException {
        JobQueue queue = databases.queue();
        try {
            fill(queue, plan.jobs());
            return run(queue, processes, plan.jobs());
        } finally {
            databases.drop(queue);
        }
    }

    void fill(JobQueue queue, int jobs) {
        steps.detail("adding " + jobs + " jobs");
        Enqueue.addAll(queue, Stream.generate(payload::job).limit(jobs).toList());
    }

    /** Adds jobs that nobody runs: every other one is due, but they came last; the others are for another day. */
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

    /** Runs so many of the due jobs. */
    Drained run(JobQueue queue, int processes, int jobs) throws IOException, InterruptedException {
        buildIndex(queue);
        Crew.Shift shift = start(queue, crew, processes);
        try {
            long started = System.nanoTime();
            resume(queue, shift, jobs);
            double seconds = Time.secondsSince(started);
            WorkReport report = shift.report();
            return new Drained(report.succeeded() / seconds, (double) report.conflicts() / report.succeeded());
        } finally {
            shift.stop();
        }
    }

    /** Runs so many of the due jobs in one process, and tells how much heap is in use there after it. */
    double heapAfter(JobQueue queue, Crew workers, int jobs) throws IOException, InterruptedException {
        buildIndex(queue);
        Crew.Shift shift = start(queue, workers, 1);
        try {
            resume(queue, shift, jobs);
            return shift.children().get(0).heap();
        } finally {
            shift.stop();
        }
    }

    private Crew.Shift start(JobQueue queue, Crew workers, int processes) throws IOException, InterruptedException {
        queue.types().change(Payload.TYPE, settings -> settings.withPaused(true));
        Crew.Shift shift = workers.start(queue.database().name(), processes, 1, plan.concurrency(), false);
        // The search that workers make once, when they start, is no part of the work.
        Thread.sleep(plan.settling().toMillis());
        return shift;
    }

    private void resume(JobQueue queue, Crew.Shift shift, int jobs) throws IOException, InterruptedException {
        queue.types().change(Payload.TYPE, settings -> settings.withPaused(false));
        shift.awaitRuns(jobs, done -> steps.detail(done + " of " + jobs + " jobs run"));
    }

    private void buildIndex(JobQueue queue) {
        steps.detail("building the indexes");
        queue.types().pendingCount(Payload.TYPE, Instant.now(), 1);
        queue.types().counts();
    }
}
