package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import java.util.List;
import java.util.stream.IntStream;

/** Restores the jobs of an export. */
final class BulkImport extends BulkRun<Job> {
    private final JobQueue queue;
    private final JobFilter filter;
    private long added;
    private long released;
    private long unchanged;

    BulkImport(JobQueue queue, Couchjobs root, JobFilter filter) {
        super(root);
        this.queue = queue;
        this.filter = filter;
    }

    @Override
    boolean isWanted(Job job) {
        return filter.matches(job);
    }

    @Override
    List<AddResult> store(List<Job> jobs) {
        List<AddResult> results = queue.operations().restore(jobs);
        compare(jobs, results);
        return results;
    }

    @Override
    void count(Job copy, AddResult.Outcome outcome) {
        if (outcome == AddResult.Outcome.ADDED) {
            added++;
            released += copy.status().isLocked() ? 1 : 0;
        } else {
            unchanged++;
        }
    }

    private void compare(List<Job> jobs, List<AddResult> results) {
        List<Job> unchangedOnes = IntStream.range(0, jobs.size())
                .filter(i -> results.get(i).outcome() == AddResult.Outcome.UNCHANGED)
                .mapToObj(jobs::get)
                .toList();
        new StoredJobs(queue).unlike(unchangedOnes).forEach(this::differs);
    }

    @Override
    String remark(JobId example) {
        return "that exist differ from their lines in status, data, result or time (such as " + example
                + "); they stay as they are. To take the lines in their place, remove the jobs first";
    }

    @Override
    String summary() {
        return "added " + added + " (of which " + released + " were owned, and wait again), unchanged " + unchanged
                + " (of which " + differing() + " differ), skipped " + skipped() + ", rejected " + rejected();
    }

    @Override
    ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("added", added)
                .put("released", released)
                .put("unchanged", unchanged)
                .put("differing", differing())
                .put("skipped", skipped());
    }
}
