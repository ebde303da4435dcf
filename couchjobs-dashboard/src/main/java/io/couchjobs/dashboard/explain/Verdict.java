package io.couchjobs.dashboard.explain;

import java.util.Locale;

/** The reason that keeps a job from running, or the thing that it is doing. */
public enum Verdict {
    /** Its document cannot be a job. */
    MALFORMED,
    /** It has ended. */
    FINISHED,
    /** It has an owner. */
    RUNNING,
    /** It is run at another site. */
    OTHER_SITE,
    /** It failed, and is retried later. */
    STUCK,
    /** Its time has not come. */
    WAITING_FOR_TIME,
    /** Nobody may claim jobs of its type. */
    PAUSED,
    /** It waits for other jobs. */
    HELD,
    /** As many jobs run as may. */
    LIMIT,
    /** As many jobs were started in this window of time as may be. */
    RATE,
    /** No live worker takes its type. */
    NO_WORKER,
    /** Its class is not claimed. */
    FILTERED,
    /** Its document has several leaves. */
    CONFLICT,
    /** Nothing keeps it: the next claim runs it, or ends it when its last owner died and it is not to be run again. */
    DUE;

    /** {@return as programs read it, such as {@code waiting-for-time}} */
    public String json() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
