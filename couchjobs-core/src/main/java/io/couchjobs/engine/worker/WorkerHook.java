package io.couchjobs.engine.worker;

import io.couchjobs.job.Listening;
import io.couchjobs.worker.Worker;

/** A task of a process that lasts as long as the process has a worker. Thread-safe. */
@FunctionalInterface
public interface WorkerHook {
    /** Does nothing. */
    WorkerHook NONE = worker -> () -> {};

    /**
     * Begins, unless another worker of the process has it going already.
     *
     * @return ends it when closed, if no other worker wants it
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    Listening join(Worker worker);
}
