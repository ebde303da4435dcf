package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/**
 * The caller does not own the job (any more): it was removed, cancelled, finished, or taken over after its lease ran out.
 * The processor must stop working on it. The write that was refused has no effect. On a cluster, copies that were cut off may
 * have stored it; the resolution of the conflict deletes that leaf. Source: the RFC's halt.
 */
public final class HaltException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    private final transient JobId id;

    /**
     * Names the job.
     *
     * @param id the job
     * @param reason why the caller does not own it
     */
    public HaltException(JobId id, String reason) {
        super("halt: " + id + " " + reason + "; stop working on it");
        this.id = id;
    }

    /** {@return the job that was lost} */
    public JobId jobId() {
        return id;
    }
}
