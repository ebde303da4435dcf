package io.couchjobs.engine.lifecycle;

import io.couchjobs.job.Job;
import io.couchjobs.type.RetryPolicy;
import java.time.Instant;

/**
 * The retries of a job that runs: whether one follows when this run fails, and when. The job's own number of retries goes before
 * the policy of its type. Thread-safe.
 */
public record Retries(Job job, RetryPolicy policy) {
    /** {@return whether no retry follows when the present run fails} */
    public boolean areUsedUp() {
        return job.failures() > job.maxRetries().orElse(policy.maxRetries());
    }

    /** {@return when the next run is to start, which the policy counts from the start of the present run} */
    Instant nextTime(Instant now) {
        Instant started = job.times().getOrDefault("started", now);
        return started.plus(policy.delayAfter(Math.max(0, job.failures() - 1), luck()));
    }

    /** From 0 to 1: random without a generator, because each claim has a random token. */
    private double luck() {
        int hash = job.lock().map(lock -> lock.token().hashCode()).orElse(0);
        return (hash & 0xFFFF) / (double) 0xFFFF;
    }
}
