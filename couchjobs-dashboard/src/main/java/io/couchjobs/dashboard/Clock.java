package io.couchjobs.dashboard;

import io.couchjobs.JobQueue;

/** The database server's time, by which the times of jobs are written. */
final class Clock {
    private Clock() {}

    static long now(JobQueue queue) {
        return System.currentTimeMillis()
                + queue.database().server().clockSkew().toMillis();
    }
}
