package io.couchjobs.engine.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a process knows of the slots of a type. */
class SlotTableTest {
    private static final SlotName.Limited EMAIL = new SlotName.Limited("email", null, null);

    private final SlotTable table = new SlotTable();

    @Test
    void of_a_large_limit_only_some_free_slots_are_listed() {
        assertThat(table.room(EMAIL, 1_000_000, 0)).hasSizeBetween(100, 10_000);
        assertThat(table.room(EMAIL, Integer.MAX_VALUE, 0)).hasSizeBetween(100, 10_000);
    }

    @Test
    void of_a_small_limit_all_free_slots_are_listed() {
        table.leaveAlone(new SlotName(EMAIL, 1), 5);
        assertThat(table.room(EMAIL, 4, 0)).containsExactly(0, 2, 3);
        assertThat(table.room(EMAIL, 4, 5)).containsExactly(0, 1, 2, 3);
    }

    @Test
    void there_may_be_more_room_in_a_moment_while_a_slot_is_left_alone() {
        assertThat(table.isUnsettled(0)).isFalse();
        table.leaveAlone(new SlotName(EMAIL, 1), 5);
        assertThat(table.isUnsettled(4)).isTrue();
        assertThat(table.isUnsettled(5)).isFalse();
    }
}
