package io.couchjobs.engine.couch;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Whether a node is fit for requests. A failed node rests for a time that grows with each failure and is random, so
 * that not all clients come back at the same moment. A failure long after the one before counts as the first. Not
 * thread-safe.
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

    /** Whether no failure is known. */
    boolean isWell() {
        return well;
    }

    /**
     * Whether the node has rested and the caller is to probe it; no other caller gets true until that probe has ended.
     */
    boolean mayProbe(long now) {
        boolean due = !well && !probing && now - restsUntil >= 0;
        probing |= due;
        return due;
    }

    void probeEnded() {
        probing = false;
    }

    /**
     * The node failed, and begins to rest. A request that fails during the rest was sent before, or for lack of a
     * better node.
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

    /** How long it still has to rest; negative when it has rested. */
    long restLeft(long now) {
        return restsUntil - now;
    }
}
