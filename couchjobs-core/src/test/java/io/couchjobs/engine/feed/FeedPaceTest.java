package io.couchjobs.engine.feed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FeedPaceTest {
    private static final long SECOND = 1_000_000_000;

    private final FeedPace pace = new FeedPace(FeedPace.DEFAULT, 0);

    @Test
    void two_hundred_documents_that_nobody_needs_within_a_second_are_too_many() {
        saw(199, 0);
        assertThat(pace.wantsSwitch(SECOND / 2, FeedListener.SOON)).isFalse();
        saw(1, 0);
        assertThat(pace.wantsSwitch(SECOND / 2, FeedListener.SOON)).isTrue();
    }

    @Test
    void as_many_over_two_seconds_are_not() {
        saw(199, 0);
        assertThat(pace.wantsSwitch(SECOND, FeedListener.SOON)).isFalse();
        saw(199, 0);
        assertThat(pace.wantsSwitch(2 * SECOND - 1, FeedListener.SOON)).isFalse();
    }

    @Test
    void documents_are_asked_for_while_some_of_them_are_needed() {
        saw(1_000, 101);
        assertThat(pace.wantsSwitch(1, FeedListener.SOON)).isFalse();
        saw(10, 0);
        assertThat(pace.wantsSwitch(1, FeedListener.SOON)).isTrue();
    }

    @Test
    void without_documents_it_goes_on_until_a_second_brings_little() {
        lean(0);
        saw(50, 12);
        assertThat(pace.wantsSwitch(SECOND, FeedListener.SOON)).isFalse();
        saw(49, 0);
        assertThat(pace.wantsSwitch(2 * SECOND - 1, FeedListener.SOON)).isFalse();
        assertThat(pace.wantsSwitch(2 * SECOND, FeedListener.SOON)).isTrue();
    }

    @Test
    void many_needed_documents_bring_them_back_at_once() {
        lean(0);
        saw(0, 50);
        assertThat(pace.wantsSwitch(1, FeedListener.SOON)).isFalse();
        saw(0, 1);
        assertThat(pace.wantsSwitch(1, FeedListener.SOON)).isTrue();
    }

    @Test
    void trouble_brings_them_back_and_a_server_that_cannot_do_without_keeps_them() {
        lean(0);
        pace.reset(0);
        assertThat(pace.isLean()).isFalse();
        pace.stayWithDocuments();
        saw(1_000, 0);
        assertThat(pace.wantsSwitch(1, FeedListener.SOON)).isFalse();
    }

    @Test
    void rows_may_be_skipped_after_a_second_of_very_many_that_concern_nobody() {
        saw(200, 0);
        pace.saw(true, false);
        lean(0);
        assertThat(pace.mayBeSkipped()).isTrue();
        pace.skipped(200);
        assertThat(pace.wantsSwitch(SECOND, FeedListener.SOON)).isFalse();
        assertThat(pace.mayBeSkipped()).isTrue();
    }

    @Test
    void they_are_read_again_when_they_are_fewer_or_one_is_of_a_job_that_somebody_needs() {
        saw(200, 1);
        lean(0);
        assertThat(pace.mayBeSkipped()).isFalse();
        saw(200, 0);
        assertThat(pace.wantsSwitch(SECOND, FeedListener.SOON)).isFalse();
        assertThat(pace.mayBeSkipped()).isTrue();
        saw(199, 0);
        assertThat(pace.wantsSwitch(2 * SECOND, FeedListener.SOON)).isFalse();
        assertThat(pace.mayBeSkipped()).isFalse();
    }

    @Test
    void in_a_large_fleet_a_fifth_of_the_rows_is_too_many_and_a_fifth_of_few_is_few() {
        saw(39, 0);
        assertThat(pace.wantsSwitch(SECOND / 2, FeedListener.LATER)).isFalse();
        saw(1, 0);
        assertThat(pace.wantsSwitch(SECOND / 2, FeedListener.LATER)).isTrue();
        lean(0);
        saw(10, 0);
        assertThat(pace.wantsSwitch(SECOND, FeedListener.LATER)).isFalse();
        saw(9, 0);
        assertThat(pace.wantsSwitch(2 * SECOND, FeedListener.LATER)).isTrue();
    }

    @Test
    void the_rows_that_come_in_a_long_pause_are_counted_per_second() {
        lean(0);
        pace.skipped(1_000);
        assertThat(pace.wantsSwitch(5 * SECOND, FeedListener.SOON)).isFalse();
        assertThat(pace.mayBeSkipped()).isTrue();
        pace.skipped(999);
        assertThat(pace.wantsSwitch(10 * SECOND, FeedListener.SOON)).isFalse();
        assertThat(pace.mayBeSkipped()).isFalse();
        saw(249, 0);
        assertThat(pace.wantsSwitch(15 * SECOND, FeedListener.SOON)).isTrue();
    }

    @Test
    void with_documents_nothing_is_skipped() {
        saw(200, 0);
        assertThat(pace.wantsSwitch(SECOND, FeedListener.SOON)).isTrue();
        assertThat(pace.mayBeSkipped()).isFalse();
    }

    private void lean(long nanos) {
        pace.switchOver(nanos);
        assertThat(pace.isLean()).isTrue();
    }

    private void saw(int unneeded, int needed) {
        for (int i = 0; i < unneeded + needed; i++) {
            pace.saw(i < needed, true);
        }
    }
}
