package io.couchjobs.dashboard.explain;

import io.couchjobs.JobQueue;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedDocumentException;
import java.util.Optional;

/**
 * A job that another one waits for. Immutable.
 *
 * @param id the id of the job
 * @param status its status; empty when there is no such job
 * @param isMalformed whether its document cannot be a job
 */
record AwaitedJob(JobId id, Optional<JobStatus> status, boolean isMalformed) {
    static AwaitedJob read(JobQueue queue, JobId id) {
        try {
            return new AwaitedJob(id, queue.get(id).map(Job::status), false);
        } catch (MalformedDocumentException wrong) {
            return new AwaitedJob(id, Optional.empty(), true);
        }
    }

    boolean hasEnded() {
        return status.filter(known -> known.phase() == JobPhase.FINISHED).isPresent();
    }

    boolean isOver(After.OnFailure policy) {
        return policy == After.OnFailure.RUN
                ? hasEnded()
                : status.filter(known -> known == JobStatus.SUCCESS).isPresent();
    }

    String text() {
        if (isMalformed) {
            return id + " (its document cannot be a job)";
        } else if (status.isEmpty()) {
            return id + " (there is no such job)";
        }
        return hasEnded() ? id + " (" + status.get().json() + ")" : id.toString();
    }
}
