package io.couchjobs.engine.worker;

import io.couchjobs.job.Listening;
import io.couchjobs.worker.Worker;

/** Is told of the workers that start. Thread-safe. */
@FunctionalInterface
public interface WorkerHook {
    /** Does nothing: for a worker that its starter closes. */
    WorkerHook NONE = (worker, makesJobs) -> () -> {};

    /**
     * Takes a worker in.
     *
     * @param makesJobs whether the process makes the jobs of schedules and triggers while this worker lives
     * @return takes the worker out again, when closed; closing twice does nothing
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    Listening join(Worker worker, boolean makesJobs);
}
