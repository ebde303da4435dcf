package io.couchjobs.spring;

import io.couchjobs.JobQueueBuilder;

/** Changes how the application's queue is opened. Beans of this type are called after the properties were applied. */
@FunctionalInterface
public interface JobQueueCustomizer {
    /**
     * Changes the settings of the queue.
     *
     * @param queue the builder that opens the queue
     */
    void customize(JobQueueBuilder queue);
}
