package io.couchjobs;

import io.couchjobs.job.QueueListener;
import io.couchjobs.worker.WorkerBuilder;

/**
 * An extension of a queue, such as metrics or tracing, added before the queue is opened ({@link JobQueueBuilder#extension}). Must
 * be thread-safe, like any {@link QueueListener}. One extension may be added to several queues.
 */
@Experimental
public interface QueueExtension extends QueueListener {
    /**
     * Called for each new worker builder. The program may override the settings made here.
     *
     * @param worker the builder that {@link JobQueue#worker()} returns
     */
    default void worker(WorkerBuilder worker) {}

    /**
     * Called when the queue is open. If this method throws, opening the queue fails with the exception, and {@link #closed} is
     * called on the extensions that were called before.
     *
     * @param queue the queue
     */
    default void opened(JobQueue queue) {}

    /**
     * Called while the queue is being closed, if {@link #opened} was called on this extension and did not throw.
     *
     * @param queue the queue
     */
    default void closed(JobQueue queue) {}
}
