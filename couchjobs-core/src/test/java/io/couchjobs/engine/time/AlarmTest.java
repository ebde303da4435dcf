package io.couchjobs.engine.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.testing.HandMovedTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AlarmTest {
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LATE = Duration.ofSeconds(9);
    private static final Duration REST = LATE.minus(SOON);

    private final HandMovedTime time = new HandMovedTime("");
    private final Lane lane = time.lane("alarm", 1);
    private int rings;
    private final Alarm alarm = new Alarm(lane, () -> rings++);

    @Test
    void the_earliest_request_counts() {
        alarm.within(LATE);
        alarm.within(SOON);
        alarm.within(LATE);
        assertThat(ringsWithin(SOON)).isEqualTo(1);
        assertThat(ringsWithin(REST)).isZero();
    }

    @Test
    void a_failed_try_is_not_hastened() {
        alarm.within(SOON);
        alarm.notBefore(LATE);
        alarm.now();
        assertThat(ringsWithin(SOON)).isZero();
        assertThat(ringsWithin(REST)).isEqualTo(1);
    }

    @Test
    void after_the_ring_requests_count_again() {
        alarm.notBefore(LATE);
        assertThat(ringsWithin(LATE)).isEqualTo(1);
        alarm.within(SOON);
        assertThat(ringsWithin(SOON)).isEqualTo(1);
    }

    @Test
    void nothing_rings_on_a_closed_lane() {
        lane.close();
        alarm.now();
        alarm.notBefore(LATE);
        assertThat(ringsWithin(LATE)).isZero();
    }

    private int ringsWithin(Duration duration) {
        int before = rings;
        time.pass(duration);
        return rings - before;
    }
}
