package io.couchjobs;

import io.couchjobs.job.QueueListener;
import io.couchjobs.worker.WorkerBuilder;

/**
 * An addition to a queue, given when it is opened ({@link JobQueueBuilder#extension}): metrics, tracing. Thread-safe, as a {@link
 * QueueListener} is. One extension may be added to several queues.
 */
@Experimental
public interface QueueExtension extends QueueListener {
    /**
     * A worker of the queue is about to be described. The program may still change the settings made here.
     *
     * @param worker its builder, as {@link JobQueue#worker()} returns it
     */
    default void worker(WorkerBuilder worker) {}

    /**
     * The queue is open. An exception keeps it from being used: the extensions that were told before hear that it is closed, and the
     * caller that opened the queue gets the exception.
     *
     * @param queue the queue
     */
    default void opened(JobQueue queue) {}

    /**
     * The queue, of which this extension was told that it is open, is being closed.
     *
     * @param queue the queue
     */
    default void closed(JobQueue queue) {}
}
