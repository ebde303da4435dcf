package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.NullNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.JobDocuments;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.UnreadableDataException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares copies of jobs with the jobs that the database has. */
final class StoredJobs {
    private final JobQueue queue;

    StoredJobs(JobQueue queue) {
        this.queue = queue;
    }

    /**
     * {@return the jobs whose copy differs from the stored job in status, data, result or time} Reads all documents by one
     * request.
     */
    List<JobId> unlike(List<Job> copies) {
        Map<JobId, Job> stored = JobDocuments.read(queue, copies.stream().map(Job::id));
        return copies.stream()
                .filter(copy -> differs(copy, stored.get(copy.id())))
                .map(Job::id)
                .toList();
    }

    /** A stored document that is missing or cannot be a job differs from every copy. */
    private boolean differs(Job copy, @Nullable Job stored) {
        return stored == null
                || !hasStatus(stored, copy)
                || !stored.scheduledTime().equals(copy.scheduledTime())
                || !hasResult(stored, copy)
                || !hasData(stored, copy);
    }

    /** Returns whether the status is as expected: the copy of an owned job was restored as a waiting job. */
    private static boolean hasStatus(Job stored, Job copy) {
        return stored.status() == copy.status() || (copy.status().isLocked() && stored.status() == JobStatus.WAITING);
    }

    private static boolean hasResult(Job stored, Job copy) {
        return JobView.isSame(
                stored.result().orElse(NullNode.instance), copy.result().orElse(NullNode.instance));
    }

    private boolean hasData(Job stored, Job copy) {
        try {
            return JobView.isSame(queue.withData(stored).data(), copy.data());
        } catch (UnreadableDataException lost) {
            return false;
        }
    }
}
