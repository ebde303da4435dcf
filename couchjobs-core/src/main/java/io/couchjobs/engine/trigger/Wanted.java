package io.couchjobs.engine.trigger;

import io.couchjobs.engine.lifecycle.Origin;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.trigger.SourceChange;
import java.time.Instant;

/**
 * A job that a trigger wants to make from a change.
 *
 * @param time the earliest time at which the job may run
 */
record Wanted(JobRequest request, SourceChange change, Instant time) {
    JobId id() {
        return request.id();
    }

    /**
     * Returns the change in the form that the job stores.
     *
     * @param round the time of the trigger's last replay, in ms; 0 if there was none
     */
    Origin origin(String trigger, long round) {
        return new Origin(trigger, change.database(), change.id(), change.rev(), round);
    }
}
