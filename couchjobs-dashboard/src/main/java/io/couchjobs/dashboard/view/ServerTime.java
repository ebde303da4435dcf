package io.couchjobs.dashboard.view;

import io.couchjobs.JobQueue;
import java.time.Instant;

/** Tells the database server's time, by which the times of jobs are written. */
public final class ServerTime {
    private ServerTime() {}

    /**
     * {@return the present time at the server, as far as the server's answers have told it}
     *
     * @param queue an open queue
     */
    public static Instant of(JobQueue queue) {
        return Instant.now().plus(queue.database().server().clockSkew());
    }

    /**
     * {@return the present time at the server, in epoch milliseconds}
     *
     * @param queue an open queue
     */
    public static long millis(JobQueue queue) {
        return of(queue).toEpochMilli();
    }
}
