package io.couchjobs.engine.worker;

import io.couchjobs.engine.time.Lane;
import io.couchjobs.worker.JobContext;
import java.util.Optional;

/**
 * Stops calls for the items of a chunk that take too long, each by itself: the run of the chunk goes on. For the thread that makes it;
 * {@link #stopReason} for any.
 */
final class ItemTimeLimit {
    private final Thread thread = Thread.currentThread();
    private final TimeLimits limits;
    private Optional<Lane.Planned> planned = Optional.empty();
    /** Grows when a call begins and when it ends, so that a late stop does not hit the next call. */
    private long present;

    private boolean isTooSlow;

    ItemTimeLimit(TimeLimits limits) {
        this.limits = limits;
    }

    /** A call begins. */
    synchronized void begin() {
        long call = ++present;
        isTooSlow = false;
        planned = limits.watch(() -> stop(call));
    }

    private synchronized void stop(long call) {
        if (call == present) {
            isTooSlow = true;
            thread.interrupt();
        }
    }

    /** The call is over. */
    synchronized void end() {
        present++;
        planned.ifPresent(Lane.Planned::cancel);
    }

    /** {@return why the call is to stop, though the run goes on} */
    synchronized Optional<JobContext.StopReason> stopReason() {
        return isTooSlow ? Optional.of(JobContext.StopReason.TOO_SLOW) : Optional.empty();
    }

    /** {@return what a call that threw has failed with} */
    synchronized Throwable problem(Throwable thrown) {
        return isTooSlow ? new TooSlowException() : thrown;
    }

    /** Where the call was when it was interrupted is of no interest. */
    private static final class TooSlowException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooSlowException() {
            super("the run was stopped at its time limit", null, false, false);
        }
    }
}
