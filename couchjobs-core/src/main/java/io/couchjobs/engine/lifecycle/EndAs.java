package io.couchjobs.engine.lifecycle;

import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Jobs that wait only to be ended: an owner died, and somebody wants the job cancelled; or too many owners died while they ran it. On a
 * cluster no monitor may end such a job, as the owner's own end may turn up later and would count more. The next claim ends it.
 */
public final class EndAs {
    private EndAs() {}

    /** {@return how the next claim of a job ends it, or its claim if it is owned; empty for a job that is to be run} */
    public static Optional<JobStatus> of(Job job) {
        String end = job.document().path(Field.END_AS).asText();
        return Stream.of(JobStatus.CANCELLED, JobStatus.FAILED)
                .filter(status -> status.json().equals(end))
                .findFirst();
    }

    /** {@return whether the next claim of a job cancels it} */
    public static boolean isCancelled(Job job) {
        return of(job).equals(Optional.of(JobStatus.CANCELLED));
    }

    /** {@return why the job is ended and not run, for people} */
    public static String reason(Job job) {
        if (!isCancelled(job)) {
            return "more leases ran out while it ran than the type allows (maxExpirations)";
        }
        String why = job.document().path(Field.CANCEL_REASON).asText();
        return "its owner died, and the job was to be cancelled" + (why.isEmpty() ? "" : ": " + why);
    }
}
