package io.couchjobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.Job;
import io.couchjobs.job.Jobs;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class BacklogTest {
    private static final Instant NOW = Jobs.NOW;

    private final Backlog backlog = new Backlog();

    @Test
    void a_job_told_while_the_index_is_read_is_kept() {
        refill(false, job("a", 1), job("b", 2));
        backlog.doubt();
        long begun = backlog.beginRefill();
        backlog.changed(job("late", 500), 0);
        backlog.refill(begun, new JobIndex.Window(List.of(job("a", 1), job("b", 2)), true), List.of());
        backlog.endRefill();
        assertThat(backlog.due(NOW, 9)).extracting(job -> job.id().id()).containsExactly("a", "b", "late");
        assertThat(backlog.mustRefill(NOW)).isFalse();
    }

    @Test
    void a_gap_while_the_index_is_read_makes_the_answer_incomplete() {
        long begun = backlog.beginRefill();
        backlog.doubt();
        backlog.refill(begun, new JobIndex.Window(List.of(), true), List.of());
        backlog.endRefill();
        assertThat(backlog.mustRefill(NOW)).isTrue();
    }

    @Test
    void the_index_is_asked_again_only_when_the_window_has_run_dry_and_there_was_more() {
        refill(false, job("a", 1), job("b", 2));
        assertThat(backlog.mustRefill(NOW)).isFalse();
        backlog.removeAll(List.of(job("a", 1), job("b", 2)));
        assertThat(backlog.mustRefill(NOW)).isTrue();
        refill(true);
        assertThat(backlog.mustRefill(NOW)).isFalse();
    }

    @Test
    void a_window_that_reaches_into_the_future_is_enough_until_then() {
        refill(false, job("a", NOW.plusSeconds(60).toEpochMilli()));
        assertThat(backlog.mustRefill(NOW)).isFalse();
        assertThat(backlog.nextTime()).contains(NOW.plusSeconds(60));
    }

    @Test
    void a_claimed_job_leaves_and_a_released_one_comes_back() {
        refill(true, job("a", 1));
        Job claimed = Job.parse(Jobs.json(
                "{'_id':'job:email:a','_rev':'2-x','status':'running','lock':{'token':'t','worker':'w','since':1}}"));
        assertThat(backlog.changed(claimed, 0)).isFalse();
        assertThat(backlog.due(NOW, 9)).isEmpty();
        assertThat(backlog.changed(job("a", 1), 0)).isTrue();
        assertThat(backlog.due(NOW, 9)).hasSize(1);
    }

    @Test
    void what_it_remembers_is_bounded() {
        refill(true);
        for (int i = 0; i < 5_000; i++) {
            backlog.changed(job("j" + i, i), 0);
        }
        assertThat(backlog.due(NOW, 10_000)).hasSize(2_000);
        backlog.removeAll(backlog.due(NOW, 10_000));
        assertThat(backlog.mustRefill(NOW)).as("the index has the rest").isTrue();
    }

    private void refill(boolean complete, Job... jobs) {
        long begun = backlog.beginRefill();
        backlog.refill(begun, new JobIndex.Window(List.of(jobs), complete), List.of());
        backlog.endRefill();
    }

    private static Job job(String id, long time) {
        return Job.parse(Jobs.json("{'_id':'job:email:" + id + "','_rev':'1-x','scheduledTime':" + time + "}"));
    }
}
