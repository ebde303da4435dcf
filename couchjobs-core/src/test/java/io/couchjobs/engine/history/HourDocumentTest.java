package io.couchjobs.engine.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The numbers of an hour by minute. */
class HourDocumentTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void the_waiting_jobs_of_more_than_a_hundred_types_are_all_counted() {
        HourDocument hour = HourDocument.empty();
        hour.waiting(NOON, waiting(250, 10));
        assertThat(waitingAt(hour, NOON)).isEqualTo(2_500);

        hour.waiting(NOON, waiting(250, 4));
        assertThat(waitingAt(hour, NOON)).as("the most in the minute").isEqualTo(2_500);
    }

    @Test
    void those_of_an_hour_are_the_most_of_any_minute_though_each_minute_has_other_types() {
        HourDocument hour = HourDocument.empty();
        hour.waiting(NOON, Map.of("another", 1L));
        hour.waiting(NOON.plus(Duration.ofMinutes(1)), waiting(250, 10));

        assertThat(hour.total().all().point(NOON).waiting()).isEqualTo(2_501);
    }

    private static long waitingAt(HourDocument hour, Instant time) {
        return hour.minute(time).all().point(time).waiting();
    }

    private static Map<String, Long> waiting(int types, long jobs) {
        Map<String, Long> waiting = new HashMap<>();
        for (int i = 0; i < types; i++) {
            waiting.put("type" + i, jobs);
        }
        return waiting;
    }
}
