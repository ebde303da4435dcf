package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/**
 * Others changed a job again and again between reading and writing it, or its conflict could not be resolved. The change
 * does not hold; making it again is safe.
 */
public final class ContentionException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the job.
     *
     * @param id the job
     * @param attempts how often it was tried
     */
    public ContentionException(JobId id, int attempts) {
        super("job " + id + " was changed by others, or its conflict could not be resolved, " + attempts
                + " times in a row; the change does not hold, try again");
    }
}
