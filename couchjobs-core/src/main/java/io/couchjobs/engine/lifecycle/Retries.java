package io.couchjobs.engine.lifecycle;

import io.couchjobs.job.Job;
import io.couchjobs.type.RetryPolicy;
import java.time.Instant;

/**
 * The retries of a running job: whether a retry follows a failure of the present run, and when. The job's own number of
 * retries overrides the policy of its type. Thread-safe.
 */
public record Retries(Job job, RetryPolicy policy) {
    /** {@return whether no retry follows a failure of the present run} */
    public boolean areUsedUp() {
        return job.failures() > job.maxRetries().orElse(policy.maxRetries());
    }

    /** {@return the start of the next run; the policy counts the delay from the start of the present run} */
    Instant nextTime(Instant now) {
        Instant started = job.times().getOrDefault("started", now);
        return started.plus(policy.delayAfter(Math.max(0, job.failures() - 1), luck()));
    }

    /** {@return a number from 0 to 1} It needs no random generator, because each claim has a random token. */
    private double luck() {
        int hash = job.lock().map(lock -> lock.token().hashCode()).orElse(0);
        return (hash & 0xFFFF) / (double) 0xFFFF;
    }
}
