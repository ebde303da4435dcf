package io.couchjobs.engine.trigger;

import io.couchjobs.engine.lifecycle.Origin;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.trigger.SourceChange;
import java.time.Instant;

/**
 * A job that a trigger makes of a change.
 *
 * @param time the earliest time at which it may run
 */
record Wanted(JobRequest request, SourceChange change, Instant time) {
    JobId id() {
        return request.id();
    }

    /**
     * The change, as the job remembers it.
     *
     * @param round when the trigger was last sent back, in ms; 0 if never
     */
    Origin origin(String trigger, long round) {
        return new Origin(trigger, change.database(), change.id(), change.rev(), round);
    }
}
