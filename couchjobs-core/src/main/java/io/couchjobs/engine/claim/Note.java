package io.couchjobs.engine.claim;

import io.couchjobs.job.Job;
import io.couchjobs.job.Progress;

/** The progress and other facts of a run, which are stored with the next write of any kind. */
public interface Note {
    Progress progress();

    /** {@return the job with the other facts of this note} */
    default Job on(Job job) {
        return job;
    }

    /** {@return whether the end of the run may be stored without this note, because the server refuses to store the note} */
    default boolean mayBeLeftOut() {
        return true;
    }
}
