package io.couchjobs.engine.time;

import java.time.Duration;

/**
 * Growing random pauses between attempts, so that callers that collided do not collide again. Not thread-safe: one per
 * loop.
 */
public final class Backoff {
    private final Environment environment;
    private final Duration shortest;
    private final Duration longest;
    private int attempts;

    /**
     * @param shortest the limit of the first pause
     * @param longest the limit of all pauses
     */
    public Backoff(Environment environment, Duration shortest, Duration longest) {
        this.environment = environment;
        this.shortest = shortest;
        this.longest = longest;
    }

    public int attempts() {
        return attempts;
    }

    /** {@return the next pause: random, between half of the present limit and the limit, which doubles each time} */
    public Duration next() {
        long limit = Math.min(longest.toNanos(), shortest.toNanos() << Math.min(attempts++, 20));
        return Duration.ofNanos(environment.random().nextLong(limit / 2, limit + 1));
    }

    /**
     * Makes the next pause.
     *
     * @throws InterruptedException when interrupted meanwhile
     */
    public void pause() throws InterruptedException {
        environment.pause(next());
    }

    /** Makes the next pause as {@link Environment#pauseUnlessInterrupted} does. */
    public boolean pauseUnlessInterrupted() {
        return Environment.pauseUnlessInterrupted(environment, next());
    }

    /** Begins with the shortest pause again. */
    public void reset() {
        attempts = 0;
    }
}
