package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Acts on all jobs that pass a filter, one such action at a time, and tells people its progress meanwhile. Thread-safe. */
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
        JobFilter filter = body.path("filter") instanceof ObjectNode wanted ? Filters.of(wanted) : JobFilter.all();
        String failureGroup = body.path("failures").asText();
        if (Filters.isOpen(filter) && failureGroup.isEmpty()) {
            throw new Refusal(400, "all jobs of all types? Say which");
        }
        Function<JobId, String> action = actions.action(body);
        if (last != null && !last.isDone()) {
            throw new Refusal(409, "another order is being carried out; wait for it, or stop it");
        }
        String name = body.path("action").asText();
        Stream<JobId> jobs =
                failureGroup.isEmpty() ? queue.all(filter).map(Job::id) : failures.jobs(failureGroup, name);
        BulkRun run = new BulkRun(++count, name, action, () -> jobs);
        run.start();
        last = run;
        return run.json();
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
