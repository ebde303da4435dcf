package io.couchjobs.dashboard;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;

/** The database server's time, by which the times of jobs are written. */
final class Clock {
    private Clock() {}

    static long now(JobQueue queue) {
        return ServerTime.of(queue).toEpochMilli();
    }
}
