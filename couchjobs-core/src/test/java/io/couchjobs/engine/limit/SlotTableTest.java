package io.couchjobs.engine.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a process knows of the slots of a type. */
class SlotTableTest {
    private static final SlotName.Limited EMAIL = new SlotName.Limited("email", null, null);

    private final SlotTable table = new SlotTable();

    @Test
    void a_large_limit_has_only_some_of_its_free_slots_listed() {
        assertThat(table.room(EMAIL, 1_000_000)).hasSizeBetween(100, 10_000);
        assertThat(table.room(EMAIL, Integer.MAX_VALUE)).hasSizeBetween(100, 10_000);
    }

    @Test
    void a_small_limit_has_all_its_free_slots_listed() {
        table.leaveAlone(new SlotName(EMAIL, 1), 5);
        assertThat(table.doubtful(4)).isEmpty();
        assertThat(table.room(EMAIL, 4)).containsExactly(0, 2, 3);
        assertThat(table.doubtful(5)).isEmpty();
        assertThat(table.room(EMAIL, 4)).containsExactly(0, 1, 2, 3);
    }

    @Test
    void a_slot_that_is_left_alone_is_worth_one_look_when_its_time_is_over() {
        assertThat(table.untilDoubtful(0)).isEqualTo(Long.MAX_VALUE);
        table.leaveAlone(new SlotName(EMAIL, 1), 5);
        assertThat(table.doubtful(4)).isEmpty();
        assertThat(table.untilDoubtful(4)).isEqualTo(1);
        assertThat(table.untilDoubtful(5)).isZero();

        assertThat(table.doubtful(5)).isEmpty();
        assertThat(table.untilDoubtful(5)).isEqualTo(Long.MAX_VALUE);
    }
}
