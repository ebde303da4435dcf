package io.couchjobs.job;

/**
 * Listens to the actions of one process on a queue, for metrics and tracing. Called by many threads at once, in the
 * middle of their work: must be quick, and must never wait. The jobs come without attached data. An exception that it throws is
 * logged and changes nothing.
 */
public interface QueueListener {
    /** Hears nothing. */
    QueueListener NONE = new QueueListener() {};

    /**
     * A job is about to be asked for.
     *
     * @param request the request
     * @return the same one, or one like it that carries more, such as {@link JobRequest#tracedBy}
     */
    default JobRequest adding(JobRequest request) {
        return request;
    }

    /**
     * A job was asked for by this process, also by a schedule.
     *
     * @param result the result
     */
    default void added(AddResult result) {}

    /**
     * This process claimed a job.
     *
     * @param before the job as it waited
     * @param claimed the job as it is owned now
     */
    default void claimed(Job before, Job claimed) {}

    /**
     * This process tried to claim a job, and another was first.
     *
     * @param job the job as it was thought to be
     */
    default void claimLost(Job job) {}

    /**
     * The feed tells of a change. Called on the feed's thread, while there is a feed: a process without workers, subscriptions
     * and listeners has none. While very many changes come, an idle worker beside four or more others skips those of jobs that its
     * process does not need; this method is not called for them.
     *
     * @param docId the document that changed: a job, or another document of the database
     * @param rev the revision that it has now
     */
    default void changed(String docId, String rev) {}
}
