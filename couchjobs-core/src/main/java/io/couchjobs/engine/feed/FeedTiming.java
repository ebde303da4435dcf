package io.couchjobs.engine.feed;

import java.time.Duration;

/**
 * The waiting times of a feed.
 *
 * @param heartbeat the interval of heartbeats; a connection is replaced after three of them without a byte
 * @param quiet how long no change may come before the server is asked whether it has one
 * @param grace how long a connection may take to bring a change that the server has
 */
record FeedTiming(Duration heartbeat, Duration quiet, Duration grace) {
    static final FeedTiming DEFAULT =
            new FeedTiming(Duration.ofSeconds(10), Duration.ofMinutes(5), Duration.ofSeconds(5));

    /** {@return how long to wait for a change before checking the connection} */
    Duration tick() {
        return grace.compareTo(quiet) < 0 ? grace : quiet;
    }
}
