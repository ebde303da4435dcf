package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Acts on many jobs, such as all that pass a filter, and reports the progress. Only one bulk action runs at a time. Thread-safe.
 */
final class BulkActions implements AutoCloseable {
    private final JobQueue queue;
    private final Actions actions;
    private final FailurePage failures;
    private @Nullable BulkRun last;
    private long count;

    BulkActions(JobQueue queue, FailurePage failures) {
        this.queue = queue;
        this.failures = failures;
        this.actions = new Actions(queue);
    }

    synchronized ObjectNode start(ObjectNode body) {
        Supplier<Stream<JobId>> jobs = jobs(body);
        Function<JobId, String> action = body.has("failures") ? actions.ofFailures(body) : actions.action(body);
        if (last != null && !last.isDone()) {
            throw new Refusal(409, "another order is being carried out; wait for it, or stop it");
        }
        BulkRun run = new BulkRun(++count, body.path("action").asText(), action, jobs);
        run.start();
        last = run;
        return run.json();
    }

    /**
     * {@return the jobs that the body names: a group of failures, the failed chunks of an array, or the jobs that pass a filter}
     */
    private Supplier<Stream<JobId>> jobs(ObjectNode body) {
        if (body.has("failures")) {
            Stream<JobId> ofGroup = failures.jobs(
                    body.path("failures").asText(), body.path("action").asText());
            return () -> ofGroup;
        }
        if (body.has("array")) {
            JobId array = new JobId(
                    body.at("/array/type").asText(), body.at("/array/id").asText());
            return () -> queue.arrays()
                    .chunks(array)
                    .filter(chunk -> chunk.status() == JobStatus.FAILED)
                    .map(Job::id);
        }
        JobFilter filter = body.path("filter") instanceof ObjectNode wanted ? Filters.of(wanted) : JobFilter.all();
        if (Filters.isOpen(filter)) {
            throw new Refusal(400, "all jobs of all types? Say which");
        }
        return () -> queue.all(filter).map(Job::id);
    }

    synchronized ObjectNode stop() {
        close();
        return json();
    }

    synchronized ObjectNode json() {
        return last == null ? Call.JSON.createObjectNode().put("done", true) : last.json();
    }

    @Override
    public synchronized void close() {
        if (last != null) {
            last.stop();
        }
    }
}
