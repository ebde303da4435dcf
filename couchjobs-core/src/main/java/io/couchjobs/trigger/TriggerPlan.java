package io.couchjobs.trigger;

import io.couchjobs.job.JobRequest;
import java.util.List;
import java.util.Optional;

/**
 * The jobs that a trigger makes of a change. Immutable and thread-safe.
 *
 * @param jobs the jobs; none when the change is left out, or nothing could be made of it
 * @param problems what could not be made, in words
 * @param leftOut why the trigger makes nothing of the change; empty when it does
 */
public record TriggerPlan(List<JobRequest> jobs, List<String> problems, Optional<String> leftOut) {
    /**
     * Copies the lists.
     *
     * @param jobs the jobs
     * @param problems what could not be made
     * @param leftOut why nothing is made
     */
    public TriggerPlan {
        jobs = List.copyOf(jobs);
        problems = List.copyOf(problems);
    }

    static TriggerPlan leftOut(String why) {
        return new TriggerPlan(List.of(), List.of(), Optional.of(why));
    }
}
