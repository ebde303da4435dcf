package io.couchjobs.engine.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long runs took, within ten percent. */
class TookHistogramTest {
    @ParameterizedTest
    @ValueSource(doubles = {1.1, 1.9, 2.9, 9.9, 70, 5_000, 90_000_000})
    void a_time_is_told_within_ten_percent(double millis) {
        TookHistogram took = new TookHistogram();
        took.add(Duration.ofNanos((long) (millis * 1e6)));
        assertThat(took.quantile(0.5).orElseThrow().toNanos() / 1e6).isBetween(millis * 0.9, millis * 1.1);
    }
}
