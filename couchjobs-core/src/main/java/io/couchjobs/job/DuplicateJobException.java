package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/** An insert found that the job exists already. Nothing was written. */
public final class DuplicateJobException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the job.
     *
     * @param id the job
     * @param status its status
     */
    public DuplicateJobException(JobId id, String status) {
        super("job " + id + " exists already (" + status + "); nothing was written");
    }
}
