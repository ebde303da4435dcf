package io.couchjobs.engine.worker;

import io.couchjobs.job.Listening;
import io.couchjobs.worker.Worker;

/** A listener to the start of workers. Thread-safe. */
@FunctionalInterface
public interface WorkerHook {
    /** A hook that does nothing, for a worker that its starter closes. */
    WorkerHook NONE = (worker, makesJobs) -> () -> {};

    /**
     * Registers a worker that starts.
     *
     * @param makesJobs whether the process makes the jobs of schedules and triggers while this worker lives
     * @return a handle that unregisters the worker when closed; closing it twice does nothing
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    Listening join(Worker worker, boolean makesJobs);
}
