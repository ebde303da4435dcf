package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/** The job's state refuses the request. Nothing was written. */
public final class JobRefusedException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the job.
     *
     * @param id the job
     * @param refusal its state, and what that refuses
     */
    public JobRefusedException(JobId id, String refusal) {
        super("job " + id + " " + refusal);
    }
}
