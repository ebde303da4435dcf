package io.couchjobs.engine.feed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FeedPaceTest {
    private static final long SECOND = 1_000_000_000;

    private final FeedPace pace = new FeedPace(FeedPace.DEFAULT, 0);

    @Test
    void two_hundred_documents_that_nobody_needs_within_a_second_are_too_many() {
        saw(199, 0);
        assertThat(pace.wantsSwitch(SECOND / 2)).isFalse();
        saw(1, 0);
        assertThat(pace.wantsSwitch(SECOND / 2)).isTrue();
    }

    @Test
    void as_many_over_two_seconds_are_not() {
        saw(199, 0);
        assertThat(pace.wantsSwitch(SECOND)).isFalse();
        saw(199, 0);
        assertThat(pace.wantsSwitch(2 * SECOND - 1)).isFalse();
    }

    @Test
    void documents_are_asked_for_while_some_of_them_are_needed() {
        saw(1_000, 101);
        assertThat(pace.wantsSwitch(1)).isFalse();
        saw(10, 0);
        assertThat(pace.wantsSwitch(1)).isTrue();
    }

    @Test
    void without_documents_it_goes_on_until_a_second_brings_little() {
        lean(0);
        saw(50, 12);
        assertThat(pace.wantsSwitch(SECOND)).isFalse();
        saw(49, 0);
        assertThat(pace.wantsSwitch(2 * SECOND - 1)).isFalse();
        assertThat(pace.wantsSwitch(2 * SECOND)).isTrue();
    }

    @Test
    void many_needed_documents_bring_them_back_at_once() {
        lean(0);
        saw(0, 50);
        assertThat(pace.wantsSwitch(1)).isFalse();
        saw(0, 1);
        assertThat(pace.wantsSwitch(1)).isTrue();
    }

    @Test
    void trouble_brings_them_back_and_a_server_that_cannot_do_without_keeps_them() {
        lean(0);
        pace.reset(0);
        assertThat(pace.isLean()).isFalse();
        pace.stayWithDocuments();
        saw(1_000, 0);
        assertThat(pace.wantsSwitch(1)).isFalse();
    }

    private void lean(long nanos) {
        pace.switchOver(nanos);
        assertThat(pace.isLean()).isTrue();
    }

    private void saw(int unneeded, int needed) {
        for (int i = 0; i < unneeded + needed; i++) {
            pace.saw(i < needed);
        }
    }
}
