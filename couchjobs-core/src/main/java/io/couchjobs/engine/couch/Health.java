package io.couchjobs.engine.couch;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The health of a node. A failed node rests for a time that grows with each failure. The time is random, so that not all
 * clients return at the same moment. A failure long after the previous one counts as the first. Not thread-safe.
 */
final class Health {

    private static final Duration FIRST_REST = Duration.ofMillis(250);
    private static final Duration LONGEST_REST = Duration.ofSeconds(30);
    private static final int DOUBLINGS = 7;

    private boolean well = true;
    private int failures;
    private long lastFailure;
    private long restsUntil;
    private boolean probing;

    /** Returns whether the node has not failed since it last answered. */
    boolean isWell() {
        return well;
    }

    /** Returns whether the node has rested and the caller must probe it; other callers get false until that probe has ended. */
    boolean mayProbe(long now) {
        boolean due = !well && !probing && now - restsUntil >= 0;
        probing |= due;
        return due;
    }

    void probeEnded() {
        probing = false;
    }

    /**
     * Records a failure, after which the node rests. A failure during the rest does not count: the request was sent before
     * the rest, or because there was no better node.
     */
    void failed(long now, RandomGenerator random) {
        if (!well && restLeft(now) > 0) {
            return;
        }
        boolean anew = failures == 0
                || now - lastFailure > LONGEST_REST.multipliedBy(2).toNanos();
        failures = anew ? 1 : failures + 1;
        lastFailure = now;
        well = false;
        long doubled = FIRST_REST.toNanos() << Math.min(failures - 1, DOUBLINGS);
        long limit = Math.min(LONGEST_REST.toNanos(), doubled);
        restsUntil = now + random.nextLong(limit / 2, limit + 1);
    }

    void recovered() {
        well = true;
    }

    /** Returns the remaining rest in nanoseconds; not positive when it is over. */
    long restLeft(long now) {
        return restsUntil - now;
    }
}
