package io.couchjobs.dashboard.explain;

import java.util.Locale;

/** The kind of reason that keeps a job from running, or the state that it is in. */
public enum Verdict {
    /** The document cannot be a job. */
    MALFORMED,
    /** The job has ended. */
    FINISHED,
    /** The job has an owner. */
    RUNNING,
    /** The job is run at another site. */
    OTHER_SITE,
    /** The job failed, and is retried later. */
    STUCK,
    /** The job's scheduled time has not come. */
    WAITING_FOR_TIME,
    /** The job's type is paused. */
    PAUSED,
    /** The job waits for other jobs. */
    HELD,
    /** A limit of running jobs is reached. */
    LIMIT,
    /** All starts of the present rate window are used. */
    RATE,
    /** No live worker takes the job's type. */
    NO_WORKER,
    /** Workers do not claim the job's class. */
    FILTERED,
    /** The job's document has several leaves, or its claim was withdrawn. */
    CONFLICT,
    /**
     * Nothing keeps the job from running. The next claim runs it, or ends it if its last owner died and the job is not to run
     * again.
     */
    DUE;

    /** {@return the name for programs, such as {@code waiting-for-time}} */
    public String json() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
