package io.couchjobs.spring;

import io.couchjobs.JobQueueBuilder;

/** A bean of this type changes how the application's queue is opened, after the properties. */
@FunctionalInterface
public interface JobQueueCustomizer {
    /**
     * Changes it.
     *
     * @param queue the builder that opens the queue
     */
    void customize(JobQueueBuilder queue);
}
