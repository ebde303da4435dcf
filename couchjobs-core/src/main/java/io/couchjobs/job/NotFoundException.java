package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/** There is no such job, schedule, trigger or document: it was never added, or it was removed. */
public final class NotFoundException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    private NotFoundException(String message) {
        super(message);
    }

    /**
     * Names the job.
     *
     * @param id the job
     */
    public NotFoundException(JobId id) {
        this("no such job: " + id);
    }

    /**
     * There is no such schedule.
     *
     * @param name the name that was asked for
     * @return the exception
     */
    public static NotFoundException schedule(String name) {
        return new NotFoundException("there is no schedule " + name);
    }

    /**
     * There is no such document.
     *
     * @param docId its {@code _id}
     * @param database where it was looked for
     * @return the exception
     */
    public static NotFoundException document(String docId, String database) {
        return new NotFoundException("there is no document " + docId + " in " + database);
    }

    /**
     * There is no such trigger.
     *
     * @param name the name that was asked for
     * @return the exception
     */
    public static NotFoundException trigger(String name) {
        return new NotFoundException("there is no trigger " + name);
    }
}
