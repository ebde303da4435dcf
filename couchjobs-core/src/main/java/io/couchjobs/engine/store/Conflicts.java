package io.couchjobs.engine.store;

import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;

/** Looks after jobs whose documents may have several leaves. Thread-safe. */
@FunctionalInterface
public interface Conflicts {
    /**
     * A job may have leaves that must go, or a claim that was withdrawn: looks at it soon. Cheap, asynchronous; never throws.
     */
    void look(JobId id);

    /** A worker begins in this process, and looks after conflicts until it ends. */
    default Listening join(Owner owner) {
        return () -> {};
    }
}
