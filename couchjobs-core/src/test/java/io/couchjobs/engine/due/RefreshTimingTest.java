package io.couchjobs.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.ViewQuery.Update;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a worker that knows of nothing to do has the index brought up to date. */
class RefreshTimingTest {
    private static final long ALWAYS = Long.MAX_VALUE;

    private final RefreshTiming end = new RefreshTiming();

    @BeforeEach
    void read_an_old_index() {
        end.reads(Update.FALSE);
    }

    @Test
    void a_line_that_moved_just_now_is_left_to_rest_before_its_index_is_read() {
        end.moved(ms(1_000));
        assertThat(end.isTimeToRead(ms(1_100), ALWAYS)).isFalse();
        assertThat(end.isTimeToRead(ms(1_500), ALWAYS)).isTrue();
    }

    @Test
    void a_line_whose_jobs_change_read_or_unread_is_left_to_rest_too() {
        KnownJobs stock = new KnownJobs();
        stock.endOfLine().reads(Update.FALSE);

        stock.changed(Jobs.inStatus(JobStatus.RUNNING), ms(1_000));
        assertThat(stock.endOfLine().isTimeToRead(ms(1_499), ALWAYS)).isFalse();
        stock.unread(new FeedNotice("job:email:a", List.of("3-x"), false, true), ms(1_400));
        assertThat(stock.endOfLine().isTimeToRead(ms(1_500), ALWAYS)).isFalse();
        assertThat(stock.endOfLine().isTimeToRead(ms(1_900), ALWAYS)).isTrue();
    }

    @Test
    void other_workers_that_take_jobs_are_waited_for_too() {
        assertThat(end.isTimeToRead(ms(1_000), ms(100))).isFalse();
        assertThat(end.isTimeToRead(ms(1_400), ms(500))).isTrue();
    }

    @Test
    void nobody_is_waited_for_longer_than_five_seconds() {
        assertThat(end.isTimeToRead(ms(1_000), 0)).isFalse();
        assertThat(end.isTimeToRead(ms(5_900), 0)).isFalse();
        assertThat(end.isTimeToRead(ms(6_000), 0)).isTrue();
    }

    @Test
    void each_end_is_an_end_of_its_own() {
        assertThat(end.isTimeToRead(ms(1_000), 0)).isFalse();
        end.reads(Update.FALSE);
        assertThat(end.isTimeToRead(ms(7_000), 0)).isFalse();
    }

    @Test
    void a_worker_that_has_taken_nothing_and_is_alone_does_not_wait() {
        assertThat(end.isTimeToRead(ms(1_000), ALWAYS)).isTrue();
    }

    @Test
    void an_index_that_was_up_to_date_is_read_again_without_a_wait() {
        end.reads(Update.TRUE);
        end.moved(ms(1_000));
        assertThat(end.isTimeToRead(ms(1_001), 0)).isTrue();
    }

    @Test
    void a_job_that_only_the_index_has_is_not_kept_waiting() {
        end.heardOfMore();
        end.moved(ms(1_000));
        assertThat(end.isMore()).isTrue();
        assertThat(end.isTimeToRead(ms(1_001), 0)).isTrue();

        end.reads(Update.FALSE);
        assertThat(end.isMore()).isTrue();
        end.reads(Update.LAZY);
        assertThat(end.isMore()).isFalse();
    }

    private static long ms(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
