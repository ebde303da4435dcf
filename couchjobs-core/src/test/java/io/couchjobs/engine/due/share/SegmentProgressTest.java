package io.couchjobs.engine.due.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.index.DuePlace;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a worker that reads its share of a line looks after the shares of others. */
class SegmentProgressTest {
    private static final Job JOB = Job.parse(Jobs.json("{'_id':'job:email:a','_rev':'1-a'}"));

    private final SegmentProgress sharing = new SegmentProgress();

    @Test
    void at_the_end_of_the_line_the_jobs_of_all_are_read() {
        sharing.readShare(window(true, JOB), 10, 0);
        assertThat(sharing.isOver()).isTrue();
        sharing.readAll();
        assertThat(sharing.isOver()).isFalse();
    }

    @Test
    void nobody_goes_ahead_of_others_for_ever_without_looking_behind() {
        for (int read = 0; read < 2; read++) {
            assertThat(sharing.isFar()).isFalse();
            sharing.readShare(window(false, JOB), 8_000, 0);
        }
        assertThat(sharing.isFar()).isTrue();
        assertThat(sharing.isOver()).isFalse();

        sharing.lookedBehind();
        assertThat(sharing.isFar()).isFalse();
        assertThat(sharing.hasPassedOthers()).isTrue();
    }

    @Test
    void a_worker_that_is_left_alone_begins_again_with_the_first_job() {
        sharing.readShare(window(false, JOB), 100, 0);
        assertThat(sharing.hasPassedOthers()).isTrue();
        sharing.readAll();
        assertThat(sharing.hasPassedOthers()).isFalse();
    }

    @Test
    void after_a_window_without_own_jobs_there_is_a_pause() {
        sharing.readShare(window(false), 100, 7);
        assertThat(sharing.isBarren(8)).isTrue();
        assertThat(sharing.isBarren(TimeUnit.SECONDS.toNanos(2))).isFalse();
        sharing.readShare(window(false, JOB), 100, 9);
        assertThat(sharing.isBarren(9)).isFalse();
    }

    private static JobIndex.Window window(boolean complete, Job... jobs) {
        return new JobIndex.Window(List.of(jobs), complete, Optional.of(DuePlace.of(JOB)));
    }
}
