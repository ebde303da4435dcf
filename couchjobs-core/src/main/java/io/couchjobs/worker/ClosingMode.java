package io.couchjobs.worker;

/** The treatment of jobs that still run when the time for closing a worker is over. Immutable and thread-safe. */
public enum ClosingMode {
    /** They are interrupted and go back to waiting: another worker runs them. The default. */
    RELEASE(StopReason.CLOSING),
    /** They are interrupted and cancelled. Source: Riak Core Jobs. */
    CANCEL(StopReason.CANCELLED);

    private final StopReason reason;

    ClosingMode(StopReason reason) {
        this.reason = reason;
    }

    /** {@return what a handler is told that is interrupted} */
    public StopReason reason() {
        return reason;
    }
}
