package io.couchjobs.engine.lifecycle;

import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import java.time.Instant;

/**
 * The effect of a change in a source on a job that exists. A pure function, as in {@link Transitions}.
 *
 * @param request the job as the change makes it
 * @param origin the change, as the job is to remember it
 * @param time not before this time
 * @param movesTime whether a pending job waits until then, even if it was to run before
 */
public record FollowTransition(JobRequest request, Origin origin, Instant time, boolean movesTime) {
    /**
     * Pending: the job gets the newer data. Finished: it is enqueued again. Refused while it is owned, because its data belongs to the run.
     */
    public Decision decide(Job job, Instant now) {
        if (job.status().isLocked()) {
            return Decision.refused(job);
        }
        Edit edit = new Edit(job, Event.ADD, now).take(request).put(Field.TRIGGER, origin.toJson());
        boolean isSooner =
                job.phase() == JobPhase.PENDING && job.scheduledTime().isBefore(time);
        Instant next = isSooner && !movesTime ? job.scheduledTime() : time;
        return edit.put(Field.SCHEDULED_TIME, next.toEpochMilli()).wanted();
    }
}
