package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.UnreadableDataException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Adds the jobs of a file, and counts the outcomes. */
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
        List<AddResult> results = replace ? queue.replaceAll(jobs) : queue.addAll(jobs);
        for (int i = 0; i < results.size(); i++) {
            compare(jobs.get(i), results.get(i));
        }
        return results;
    }

    private void compare(JobRequest line, AddResult result) {
        boolean mayDiffer = !replace && result.outcome() == AddResult.Outcome.UNCHANGED;
        if (mayDiffer && result.job().filter(stored -> hasData(stored, line)).isEmpty()) {
            differs(result.id());
        }
    }

    private boolean hasData(Job stored, JobRequest line) {
        try {
            return JobView.isSame(queue.withData(stored).data(), line.data());
        } catch (UnreadableDataException lost) {
            return false;
        } catch (CouchException away) {
            return true; // these lines are stored, and count; the next request will fail, too
        }
    }

    @Override
    boolean isComplete() {
        return differing() == 0;
    }

    @Override
    String remark(JobId example) {
        return "are pending with the same time and other data than their lines (such as " + example
                + "), which they keep; --replace gives them the new data";
    }

    @Override
    void count(JobRequest job, AddResult.Outcome outcome) {
        counts.merge(outcome, 1L, Long::sum);
    }

    @Override
    String summary() {
        return "added " + count(AddResult.Outcome.ADDED) + ", updated " + updated() + ", unchanged "
                + count(AddResult.Outcome.UNCHANGED)
                + (differing() == 0 ? "" : " (of which " + differing() + " differ)")
                + ", rejected " + rejected();
    }

    @Override
    ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("added", count(AddResult.Outcome.ADDED))
                .put("updated", updated())
                .put("unchanged", count(AddResult.Outcome.UNCHANGED))
                .put("differing", differing());
    }

    /** Returns how many jobs were updated; a resubmitted job counts, because it was changed, too. */
    private long updated() {
        return count(AddResult.Outcome.UPDATED) + count(AddResult.Outcome.RESUBMITTED);
    }

    private long count(AddResult.Outcome outcome) {
        return counts.getOrDefault(outcome, 0L);
    }
}
