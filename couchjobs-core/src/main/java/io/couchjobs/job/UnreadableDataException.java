package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/**
 * The data of a job is attached to its document and is not at hand: it was not read with the job, the attachment is
 * missing, or it is not the one that was attached. Nothing was changed. See {@link Job#data} and {@link AttachedData}.
 */
public final class UnreadableDataException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    private final transient JobId jobId;

    /**
     * Names the job.
     *
     * @param jobId the job
     * @param problem the problem of its data, as a sentence about it
     */
    public UnreadableDataException(JobId jobId, String problem) {
        super("the data of job " + jobId + " cannot be read: " + problem);
        this.jobId = jobId;
    }

    /** {@return the job} */
    public JobId jobId() {
        return jobId;
    }
}
