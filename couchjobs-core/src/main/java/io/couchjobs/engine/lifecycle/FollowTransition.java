package io.couchjobs.engine.lifecycle;

import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import java.time.Instant;

/**
 * The effect of a change in a source database on a job that exists. A pure function, as in {@link Transitions}.
 *
 * @param request the job that the change requests
 * @param origin the change, to be stored in the job
 * @param time the earliest time of the run
 * @param movesTime whether a pending job waits until {@code time}, even if it was to run before
 */
public record FollowTransition(JobRequest request, Origin origin, Instant time, boolean movesTime) {
    /**
     * Decides what the change does to the job. A pending job gets the newer data. A finished job is enqueued again. An
     * owned job refuses the change, because its data belongs to the run.
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
