package io.couchjobs.engine.feed;

import java.time.Duration;

/**
 * How patient a feed is.
 *
 * @param heartbeat after three of them without a byte a connection is replaced
 * @param quiet how long no change may come before the server is asked whether it has one
 * @param grace how long a connection may take to bring that change
 */
record FeedTiming(Duration heartbeat, Duration quiet, Duration grace) {
    static final FeedTiming DEFAULT =
            new FeedTiming(Duration.ofSeconds(10), Duration.ofMinutes(5), Duration.ofSeconds(5));

    /** How long to wait for a change before looking around. */
    Duration tick() {
        return grace.compareTo(quiet) < 0 ? grace : quiet;
    }
}
