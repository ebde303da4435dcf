package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/** There is no such job: it was never added, or it was removed. */
public final class JobNotFoundException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the job.
     *
     * @param id the job
     */
    public JobNotFoundException(JobId id) {
        super("no such job: " + id);
    }
}
