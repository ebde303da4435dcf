package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClockSkewTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final AtomicLong nanos = new AtomicLong();
    private final ClockSkew skew = new ClockSkew(nanos::get);

    @Test
    void it_is_zero_before_any_answer() {
        assertThat(skew.estimate()).isZero();
    }

    @Test
    void clocks_that_may_agree_are_taken_to_agree() {
        answer(NOON.plusMillis(10), NOON.plusMillis(20), Duration.ZERO);
        answer(NOON.plusMillis(990), NOON.plusMillis(999), Duration.ofMillis(5));

        assertThat(skew.estimate()).isZero();
    }

    @Test
    void one_answer_gives_the_skew_within_a_second() {
        answer(NOON.plusMillis(300), NOON.plusMillis(310), Duration.ofHours(-3));

        assertThat(skew.estimate()).isBetween(Duration.ofHours(-3).minusMillis(1010), Duration.ofHours(-3));
    }

    @Test
    void a_server_that_dates_its_answers_up_to_a_second_late_still_has_no_skew() {
        for (int i = 0; i < 100; i++) {
            Instant sent = NOON.plusMillis(i * 37L);
            Instant lastTick =
                    sent.minusMillis(830).truncatedTo(ChronoUnit.SECONDS).plusMillis(830);
            skew.observe(sent, sent.plusMillis(3), lastTick.truncatedTo(ChronoUnit.SECONDS));
        }
        assertThat(skew.estimate()).isZero();
    }

    @Test
    void many_answers_narrow_it_down() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Duration real = Duration.ofMillis(2345);
        for (int i = 0; i < 200; i++) {
            Instant sent = NOON.plusMillis(random.nextLong(60_000));
            answer(sent, sent.plusMillis(5), real);
        }

        assertThat(skew.estimate().minus(real).abs()).as("seed %d", seed).isLessThan(Duration.ofMillis(60));
    }

    @Test
    void a_clock_that_was_set_is_followed() {
        answer(NOON, NOON.plusMillis(5), Duration.ZERO);
        answer(NOON.plusSeconds(10), NOON.plusSeconds(10).plusMillis(5), Duration.ofMinutes(5));

        assertThat(skew.estimate())
                .isBetween(
                        Duration.ofMinutes(5).minusSeconds(1),
                        Duration.ofMinutes(5).plusSeconds(1));
    }

    @Test
    void what_is_known_fades_as_clocks_drift() {
        for (int i = 0; i < 100; i++) {
            answer(NOON.plusMillis(i * 10L), NOON.plusMillis(i * 10L + 1), Duration.ofMillis(1500));
        }
        Duration before = skew.estimate();
        nanos.addAndGet(Duration.ofHours(1).toNanos());
        answer(NOON.plusSeconds(3600), NOON.plusSeconds(3600).plusMillis(1), Duration.ofMillis(2200));

        assertThat(skew.estimate()).isGreaterThan(before);
    }

    /** The server dates its answer in the middle, by its own clock, cut to a second. */
    private void answer(Instant sent, Instant received, Duration real) {
        Instant middle = sent.plus(Duration.between(sent, received).dividedBy(2));
        skew.observe(sent, received, middle.plus(real).truncatedTo(ChronoUnit.SECONDS));
    }
}
