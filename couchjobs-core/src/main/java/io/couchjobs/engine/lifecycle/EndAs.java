package io.couchjobs.engine.lifecycle;

import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The pending jobs that the next claim ends instead of running. Such a job's owner died after a cancel request, or too many
 * of its owners died while they ran it. On a cluster no monitor may end the job, because the owner's own end may turn up
 * later and would count more.
 */
public final class EndAs {
    private EndAs() {}

    /**
     * {@return how the next claim of a pending job, or the present claim of an owned one, ends it; empty for a job that is
     * to run}
     */
    public static Optional<JobStatus> of(Job job) {
        String end = job.document().path(Field.END_AS).asText();
        return Stream.of(JobStatus.CANCELLED, JobStatus.FAILED)
                .filter(status -> status.json().equals(end))
                .findFirst();
    }

    /** {@return whether the next claim cancels the job} */
    public static boolean isCancelled(Job job) {
        return of(job).equals(Optional.of(JobStatus.CANCELLED));
    }

    /** {@return a readable reason why the job is ended and not run} */
    public static String reason(Job job) {
        if (!isCancelled(job)) {
            return "more leases ran out while it ran than the type allows (maxExpirations)";
        }
        String why = job.document().path(Field.CANCEL_REASON).asText();
        return "its owner died, and the job was to be cancelled" + (why.isEmpty() ? "" : ": " + why);
    }
}
