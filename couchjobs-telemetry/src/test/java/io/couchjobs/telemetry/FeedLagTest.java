package io.couchjobs.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How far behind the feed is, by a clock that the test sets. */
class FeedLagTest {
    private final List<Duration> lags = new ArrayList<>();
    private long nanos;
    private final FeedLag lag = new FeedLag(() -> nanos, lags::add);

    @Test
    void it_is_the_time_from_the_answer_until_the_feed_tells() {
        lag.written("job:a:1", "3-x");
        nanos += TimeUnit.MILLISECONDS.toNanos(70);
        lag.heard("job:a:2", "9-x");
        lag.heard("job:a:1", "2-x");
        assertThat(lags).isEmpty();
        lag.heard("job:a:1", "3-x");
        assertThat(lags).containsExactly(Duration.ofMillis(70));
    }

    @Test
    void a_newer_revision_counts_for_the_feed_leaves_out_what_is_between() {
        lag.written("job:a:1", "3-x");
        nanos += 5;
        lag.heard("job:a:1", "7-x");
        assertThat(lags).containsExactly(Duration.ofNanos(5));
    }

    @Test
    void a_feed_that_is_quicker_than_the_answer_is_not_behind() {
        lag.heard("job:a:1", "3-x");
        lag.written("job:a:1", "3-x");
        assertThat(lags).containsExactly(Duration.ZERO);
    }

    @Test
    void a_write_that_the_feed_has_not_told_of_within_a_minute_does_not_count() {
        lag.written("job:a:1", "1-x");
        nanos += TimeUnit.HOURS.toNanos(1);
        lag.heard("job:a:1", "2-x");
        assertThat(lags).isEmpty();
    }

    @Test
    void one_write_is_followed_at_a_time_and_given_up_after_a_minute() {
        lag.written("job:a:1", "1-x");
        nanos += TimeUnit.SECONDS.toNanos(59);
        lag.written("job:a:2", "1-x");
        lag.heard("job:a:2", "1-x");
        assertThat(lags).isEmpty();
        nanos += TimeUnit.SECONDS.toNanos(2);
        lag.written("job:a:3", "1-x");
        nanos += 9;
        lag.heard("job:a:3", "1-x");
        assertThat(lags).containsExactly(Duration.ofNanos(9));
    }
}
