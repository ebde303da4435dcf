package io.couchjobs.engine.create;

import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.job.Job;
import java.time.Instant;

/** A transition that a creator may ask for. */
@FunctionalInterface
public interface CreatorChange {
    /**
     * Decides.
     *
     * @param job the job as it is
     * @param now the time
     * @return the decision
     */
    Decision decide(Job job, Instant now);
}
