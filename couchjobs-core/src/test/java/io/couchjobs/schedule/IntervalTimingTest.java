package io.couchjobs.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IntervalTimingTest {
    private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

    @Test
    void ticks_never_drift_however_late_each_is_noticed() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            long every = 1000L + random.nextInt(100_000_000);
            Timing.Interval timing = new Timing.Interval(Duration.ofMillis(every), START);
            Instant noticed = START;
            for (int k = 0; k < 50; k++) {
                Instant tick = timing.next(noticed).orElseThrow();
                assertThat(tick).as("seed %d", seed).isAfter(noticed);
                assertThat(Duration.between(noticed, tick)).as("seed %d", seed).isLessThanOrEqualTo(timing.every());
                assertThat(Duration.between(START, tick).toMillis() % every)
                        .as("seed %d", seed)
                        .isZero();
                noticed = tick.plusMillis(random.nextInt(10_000_000));
            }
        }
    }

    @Test
    void the_first_tick_is_the_start_itself() {
        Timing.Interval timing = new Timing.Interval(Duration.ofHours(1), START);
        assertThat(timing.next(START.minusSeconds(100_000_000), 2))
                .containsExactly(START, START.plus(Duration.ofHours(1)));
        assertThat(timing.next(START)).contains(START.plus(Duration.ofHours(1)));
        assertThat(timing.next(START.minusNanos(1))).contains(START);
    }

    @Test
    void a_distance_of_less_than_a_second_or_more_than_ten_years_is_refused() {
        for (Duration wrong : List.of(Duration.ofMillis(999), Duration.ZERO, Duration.ofDays(3651))) {
            assertThatThrownBy(() -> new Timing.Interval(wrong, START))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("every");
        }
    }
}
