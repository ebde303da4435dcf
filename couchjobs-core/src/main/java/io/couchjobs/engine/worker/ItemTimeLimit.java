package io.couchjobs.engine.worker;

import io.couchjobs.worker.JobContext;
import java.util.Optional;

/**
 * Stops calls for the items of a chunk that take too long, each by itself: the run of the chunk goes on. For the thread that makes it;
 * {@link #stopReason} for any.
 */
final class ItemTimeLimit implements AutoCloseable {
    private final Thread thread = Thread.currentThread();
    private final TimeLimits.Watch watch;
    private boolean isCalling;
    private boolean isTooSlow;

    ItemTimeLimit(TimeLimits limits) {
        watch = limits.watch(this::stop);
    }

    /** A call begins. The watch must have forgotten the call before: it stops whatever call there is. */
    void begin() {
        watch.again();
        synchronized (this) {
            isCalling = true;
            isTooSlow = false;
        }
    }

    private synchronized void stop() {
        if (isCalling) {
            isTooSlow = true;
            thread.interrupt();
        }
    }

    /** The call is over. */
    synchronized void end() {
        isCalling = false;
    }

    /** {@return why the call is to stop, though the run goes on} */
    synchronized Optional<JobContext.StopReason> stopReason() {
        return isTooSlow ? Optional.of(JobContext.StopReason.TOO_SLOW) : Optional.empty();
    }

    /** {@return what a call that threw has failed with} */
    synchronized Throwable problem(Throwable thrown) {
        return isTooSlow ? new TooSlowException() : thrown;
    }

    @Override
    public void close() {
        watch.close();
    }

    /** Where the call was when it was interrupted is of no interest. */
    private static final class TooSlowException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooSlowException() {
            super("the run was stopped at its time limit", null, false, false);
        }
    }
}
