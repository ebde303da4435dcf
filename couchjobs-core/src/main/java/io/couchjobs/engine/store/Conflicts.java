package io.couchjobs.engine.store;

import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;

/** Resolves conflicts of jobs, whose documents may have several leaves. Thread-safe. */
@FunctionalInterface
public interface Conflicts {
    /** Requests a check of a job for conflicts and withdrawn claims, which runs soon. Cheap and asynchronous; never throws. */
    void look(JobId id);

    /** Registers a worker of this process, which resolves conflicts until the result is closed. */
    default Listening join(Owner owner) {
        return () -> {};
    }
}
