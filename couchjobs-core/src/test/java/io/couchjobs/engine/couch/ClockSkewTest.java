package io.couchjobs.engine.couch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClockSkewTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final long SEED = System.nanoTime();

    /** Noon is zero on the monotonic clock, and this machine's clock is right but for {@link #set}. */
    private final AtomicLong nanos = new AtomicLong();

    private final ClockSkew skew = new ClockSkew(nanos::get);
    private Duration set = Duration.ZERO;

    @Test
    void it_is_zero_before_any_answer() {
        assertThat(estimate()).isZero();
        assertThat(skew.doubt(local())).isZero();
    }

    @Test
    void clocks_that_may_agree_are_taken_to_agree() {
        answer(10, 20, Duration.ZERO);
        answer(990, 999, Duration.ofMillis(5));
        assertThat(estimate()).isZero();
        assertThat(skew.doubt(local())).isZero();
    }

    @Test
    void one_answer_gives_the_skew_within_two_seconds() {
        answer(300, 310, Duration.ofHours(-3));
        assertThat(estimate())
                .isBetween(
                        Duration.ofHours(-3).minusMillis(1010),
                        Duration.ofHours(-3).plusMillis(1));
        assertThat(skew.doubt(local())).isBetween(Duration.ofSeconds(2), Duration.ofMillis(2011));
    }

    @Test
    void a_server_that_dates_its_answers_up_to_a_second_late_still_has_no_skew() {
        for (int i = 0; i < 100; i++) {
            at(i * 37L);
            long sent = nanos.get();
            Instant lastTick =
                    local().minusMillis(830).truncatedTo(ChronoUnit.SECONDS).plusMillis(830);
            at(i * 37L + 3);
            skew.observe(sent, nanos.get(), lastTick.truncatedTo(ChronoUnit.SECONDS));
        }
        assertThat(estimate()).isZero();
    }

    @Test
    void many_answers_narrow_it_down() {
        Random random = new Random(SEED);
        Duration real = Duration.ofMillis(7345);
        for (int i = 0; i < 200; i++) {
            long sent = i * 300L + random.nextLong(280);
            answer(sent, sent + 5, real);
        }
        assertThat(estimate().minus(real).abs()).as("seed %d", SEED).isLessThan(Duration.ofMillis(100));
        assertThat(skew.doubt(local())).isLessThan(Duration.ofMillis(1200));
    }

    @Test
    void a_server_whose_clock_was_set_is_followed() {
        answer(0, 5, Duration.ZERO);
        answer(10_000, 10_005, Duration.ofMinutes(5));
        assertThat(estimate()).isBetween(Duration.ofSeconds(299), Duration.ofSeconds(301));
    }

    @Test
    void a_clock_of_this_machine_that_was_set_does_not_change_the_servers_time() {
        for (int i = 0; i < 50; i++) {
            answer(i * 70L, i * 70L + 2, Duration.ZERO);
        }
        Instant real = local();
        for (Duration jump : new Duration[] {Duration.ofHours(2), Duration.ofHours(-2), Duration.ofDays(4000)}) {
            set = jump;
            assertThat(Duration.between(local().plus(estimate()), real).abs())
                    .as("set by %s", jump)
                    .isLessThan(Duration.ofMillis(1100));
            assertThat(local().plus(estimate())).as("never early").isBeforeOrEqualTo(real);
        }
        set = Duration.ZERO;
        assertThat(estimate()).isZero();
    }

    @Test
    void dates_that_no_clock_can_show_today_are_ignored() {
        for (String nonsense : new String[] {"1970-01-01T00:00:05Z", "2024-12-31T23:59:59Z", "9999-12-31T23:59:59Z"}) {
            skew.observe(0, 1_000_000, Instant.parse(nonsense));
            assertThat(estimate()).as(nonsense).isZero();
        }
    }

    @Test
    void the_doubt_about_the_servers_clock_grows_as_clocks_drift() {
        for (int i = 0; i < 100; i++) {
            answer(i * 10L, i * 10L + 1, Duration.ofMillis(3500));
        }
        Duration before = skew.doubt(local());
        at(Duration.ofMinutes(10).toMillis());
        assertThat(skew.doubt(local())).isGreaterThan(before.plusMillis(500));
    }

    private Duration estimate() {
        return skew.estimate(local());
    }

    private Instant local() {
        return NOON.plusNanos(nanos.get()).plus(set);
    }

    private void at(long millis) {
        nanos.set(Duration.ofMillis(millis).toNanos());
    }

    /** The server dates its answer in the middle, by its own clock, cut to a second. */
    private void answer(long sentMillis, long receivedMillis, Duration real) {
        at((sentMillis + receivedMillis) / 2);
        Instant dated = local().plus(real).truncatedTo(ChronoUnit.SECONDS);
        at(sentMillis);
        long sent = nanos.get();
        at(receivedMillis);
        skew.observe(sent, nanos.get(), dated);
    }
}
