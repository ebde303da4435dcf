package io.couchjobs.conformance;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what a server does in the background and tells nobody about. */
final class Eventually {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Eventually() {}

    /** @param condition asked again and again; each question is a request, so that the loop does not spin */
    static void holds(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                throw new AssertionError("did not come true within " + LIMIT);
            }
        }
    }
}
