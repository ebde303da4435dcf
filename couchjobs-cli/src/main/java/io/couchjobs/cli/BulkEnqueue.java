package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobRequest;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Adds the jobs of a file. */
final class BulkEnqueue extends BulkRun<JobRequest> {
    private final JobQueue queue;
    private final boolean replace;
    private final Map<AddResult.Outcome, Long> counts = new EnumMap<>(AddResult.Outcome.class);

    BulkEnqueue(JobQueue queue, Couchjobs root, boolean replace) {
        super(root);
        this.queue = queue;
        this.replace = replace;
    }

    @Override
    boolean isWanted(JobRequest job) {
        return true;
    }

    @Override
    List<AddResult> store(List<JobRequest> jobs) {
        return replace ? queue.replaceAll(jobs) : queue.addAll(jobs);
    }

    @Override
    void count(JobRequest job, AddResult.Outcome outcome) {
        counts.merge(outcome, 1L, Long::sum);
    }

    @Override
    String summary() {
        return "added " + count(AddResult.Outcome.ADDED) + ", updated " + updated() + ", unchanged "
                + count(AddResult.Outcome.UNCHANGED) + ", rejected " + rejected();
    }

    @Override
    ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("added", count(AddResult.Outcome.ADDED))
                .put("updated", updated())
                .put("unchanged", count(AddResult.Outcome.UNCHANGED));
    }

    /** A running job that will run once more has been changed too. */
    private long updated() {
        return count(AddResult.Outcome.UPDATED) + count(AddResult.Outcome.RESUBMITTED);
    }

    private long count(AddResult.Outcome outcome) {
        return counts.getOrDefault(outcome, 0L);
    }
}
