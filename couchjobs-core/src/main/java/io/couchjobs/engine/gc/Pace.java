package io.couchjobs.engine.gc;

import java.util.concurrent.TimeUnit;

/** Lets others work: after each batch a pause as long as the batch took, half a second at most. Not thread-safe. */
final class Pace {
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private long begun = System.nanoTime();

    void begin() {
        begun = System.nanoTime();
    }

    void rest() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.min(LONGEST_NANOS, System.nanoTime() - begun));
    }
}
