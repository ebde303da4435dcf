package io.couchjobs.engine.worker;

import io.couchjobs.engine.time.Lane;
import io.couchjobs.worker.JobContext;
import java.util.Optional;

/**
 * Stops each call for items of a chunk that takes too long, while the run of the chunk continues. Used by the thread that
 * creates the object; any thread may call {@link #stopReason}.
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

    /** Begins a call. */
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

    /** Ends the call. */
    synchronized void end() {
        present++;
        planned.ifPresent(Lane.Planned::cancel);
    }

    /** {@return why the call is to stop, although the run continues} */
    synchronized Optional<JobContext.StopReason> stopReason() {
        return isTooSlow ? Optional.of(JobContext.StopReason.TOO_SLOW) : Optional.empty();
    }

    /** {@return the cause of the failure of a call that threw an exception} */
    synchronized Throwable problem(Throwable thrown) {
        return isTooSlow ? new TooSlowException() : thrown;
    }

    /** The failure of a call at its time limit. The place of the interrupt is irrelevant, so there is no stack trace. */
    private static final class TooSlowException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooSlowException() {
            super("the run was stopped at its time limit", null, false, false);
        }
    }
}
