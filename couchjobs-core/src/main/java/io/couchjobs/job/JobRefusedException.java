package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/** The job's state refuses what was asked. Nothing was written. */
public final class JobRefusedException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the job.
     *
     * @param id the job
     * @param refusal what its state is and what it therefore refuses
     */
    public JobRefusedException(JobId id, String refusal) {
        super("job " + id + " " + refusal);
    }
}
