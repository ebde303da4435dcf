package io.couchjobs.engine.couch;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Whether a node is fit to be asked. One that failed rests for a time that grows with each failure and is random, so that not
 * all clients come back at the same moment. A failure long after the one before counts as the first. Not thread-safe.
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

    /** Nothing is known against it. */
    boolean isWell() {
        return well;
    }

    /** It has rested; the one who is told so, and nobody else until the probe has ended, is to look how it fares. */
    boolean mayProbe(long now) {
        boolean due = !well && !probing && now - restsUntil >= 0;
        probing |= due;
        return due;
    }

    void probeEnded() {
        probing = false;
    }

    /** It failed, and begins to rest. What fails while it rests was sent before, or for want of anybody better. */
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
