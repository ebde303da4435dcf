package io.couchjobs.engine.gc;

import io.couchjobs.engine.time.Environment;
import java.time.Duration;

/**
 * Leaves the server time for other work. Each batch is followed by a pause as long as the batch took, half a second at
 * most. Not thread-safe.
 */
final class Pace {
    private static final long LONGEST_NANOS = Duration.ofMillis(500).toNanos();

    private final Environment environment;
    private long begun;

    Pace(Environment environment) {
        this.environment = environment;
        this.begun = environment.nanos();
    }

    void begin() {
        begun = environment.nanos();
    }

    void rest() throws InterruptedException {
        environment.pause(Duration.ofNanos(Math.min(LONGEST_NANOS, environment.nanos() - begun)));
    }
}
