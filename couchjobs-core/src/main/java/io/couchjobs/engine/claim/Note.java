package io.couchjobs.engine.claim;

import io.couchjobs.job.Job;
import io.couchjobs.job.Progress;

/** The owner's words about its run, which go with the next write of any kind. */
public interface Note {
    Progress progress();

    /** Adds whatever else is to be told. */
    default Job on(Job job) {
        return job;
    }

    /** {@return whether the end of the run may be stored without it, because the server refuses to store it} */
    default boolean mayBeLeftOut() {
        return true;
    }
}
