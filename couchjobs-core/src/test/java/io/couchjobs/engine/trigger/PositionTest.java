package io.couchjobs.engine.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PositionTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final Position FIRST = Position.first("mails", "orders", "0", 1);

    private static Position after(Position before, int changes, long second) {
        Step step = new Step("1", changes, changes, List.of(), List.of(), Optional.empty());
        return before.after(step, NOON.plusSeconds(second));
    }

    private static long perMinute(Position position, long second) {
        return position.perMinute(NOON.plusSeconds(second));
    }

    @Test
    void the_changes_of_a_minute_are_told_in_the_minute_after_it() {
        Position position = after(after(FIRST, 20, 10), 10, 50);
        assertThat(perMinute(position, 59)).isZero();
        assertThat(perMinute(position, 60)).isEqualTo(30);
        assertThat(perMinute(position, 120)).isZero();
    }

    @Test
    void changes_of_the_next_minute_leave_those_of_the_last_one_as_they_are() {
        Position position = after(after(FIRST, 20, 10), 7, 65);
        assertThat(perMinute(position, 119)).isEqualTo(20);
        assertThat(perMinute(position, 121)).isEqualTo(7);
    }

    @Test
    void a_minute_without_changes_is_told_as_one() {
        Position position = after(after(FIRST, 20, 10), 7, 130);
        assertThat(perMinute(position, 130)).isZero();
        assertThat(perMinute(position, 180)).isEqualTo(7);
    }

    @Test
    void a_step_without_changes_counts_none() {
        Position position = after(after(FIRST, 20, 10), 0, 65);
        assertThat(perMinute(position, 70)).isEqualTo(20);
    }
}
