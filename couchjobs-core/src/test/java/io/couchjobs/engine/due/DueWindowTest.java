package io.couchjobs.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.index.DuePlace;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DueWindowTest {
    private static final Instant NOW = Jobs.NOW;

    private final DueWindow backlog = new DueWindow();

    @Test
    void a_job_told_while_the_index_is_read_is_kept() {
        refill(false, job("a", 1), job("b", 2));
        backlog.doubt();
        long begun = backlog.beginRefill();
        backlog.changed(job("late", 500));
        backlog.refill(begun, window(true, job("a", 1), job("b", 2)), List.of(), true);
        backlog.endRefill();
        assertThat(backlog.due(NOW, 9)).extracting(job -> job.id().id()).containsExactly("a", "b", "late");
        assertThat(backlog.mustRefill(NOW)).isFalse();
    }

    @Test
    void a_job_told_before_the_index_is_read_is_kept_though_the_copy_that_is_read_does_not_know_it() {
        refill(false, job("a", 1));
        backlog.doubt();
        backlog.changed(job("b", 2));
        refill(true, job("a", 1));
        assertThat(backlog.due(NOW, 9)).extracting(job -> job.id().id()).containsExactly("a", "b");
    }

    @Test
    void the_number_of_jobs_kept_in_doubt_is_bounded_and_does_not_end_the_doubt() {
        refill(false, job("a", 1));
        backlog.doubt();
        for (int i = 0; i < 2 * DueWindow.MOST; i++) {
            backlog.changed(job("j" + i, i));
        }
        assertThat(backlog.due(NOW, 2 * DueWindow.MOST)).hasSize(DueWindow.MOST);
        assertThat(backlog.isInDoubt()).isTrue();
    }

    @Test
    void a_gap_while_the_index_is_read_makes_the_answer_incomplete() {
        long begun = backlog.beginRefill();
        backlog.doubt();
        backlog.refill(begun, window(true), List.of(), true);
        backlog.endRefill();
        assertThat(backlog.mustRefill(NOW)).isTrue();
    }

    @Test
    void the_index_is_asked_again_only_when_the_window_has_run_dry_and_there_was_more() {
        refill(false, job("a", 1), job("b", 2));
        assertThat(backlog.mustRefill(NOW)).isFalse();
        take(List.of(job("a", 1), job("b", 2)));
        assertThat(backlog.mustRefill(NOW)).isTrue();
        refill(true);
        assertThat(backlog.mustRefill(NOW)).isFalse();
    }

    @Test
    void a_window_that_reaches_into_the_future_is_enough_until_then() {
        refill(false, job("a", NOW.plusSeconds(60).toEpochMilli()));
        assertThat(backlog.mustRefill(NOW)).isFalse();
        assertThat(backlog.nextTime(job -> true)).contains(NOW.plusSeconds(60));
    }

    @Test
    void a_claimed_job_leaves_and_a_released_one_comes_back() {
        refill(true, job("a", 1));
        Job claimed = Job.parse(Jobs.json(
                "{'_id':'job:email:a','_rev':'2-x','status':'running','lock':{'token':'t','worker':'w','since':1}}"));
        assertThat(backlog.changed(claimed)).isFalse();
        assertThat(backlog.due(NOW, 9)).isEmpty();
        assertThat(backlog.changed(job("a", 1))).isTrue();
        assertThat(backlog.due(NOW, 9)).hasSize(1);
    }

    @Test
    void the_number_of_remembered_jobs_is_bounded() {
        refill(true);
        for (int i = 0; i < 2 * DueWindow.MOST; i++) {
            backlog.changed(job("j" + i, i));
        }
        assertThat(backlog.due(NOW, 2 * DueWindow.MOST)).hasSize(DueWindow.MOST);
        take(backlog.due(NOW, 2 * DueWindow.MOST));
        assertThat(backlog.mustRefill(NOW)).as("the index has the rest").isTrue();
    }

    @Test
    void a_gap_while_a_window_of_the_future_is_read_leaves_it_in_doubt() {
        long begun = backlog.beginRefill();
        backlog.doubt();
        backlog.refill(begun, window(false, job("far", NOW.plusSeconds(3600).toEpochMilli())), List.of(), true);
        backlog.endRefill();
        assertThat(backlog.mustRefill(NOW))
                .as("a job due now may have been missed")
                .isTrue();
    }

    @Test
    void a_window_of_an_index_that_is_not_up_to_date_does_not_say_that_nothing_else_is_due() {
        refill(false, job("a", 1), job("b", 2));
        long begun = backlog.beginRefill();
        JobIndex.Window older =
                window(false, job("c", 3), job("far", NOW.plusSeconds(3600).toEpochMilli()));
        backlog.refill(begun, older, List.of(), false);
        backlog.endRefill();

        take(backlog.due(NOW, 9));

        assertThat(backlog.knowsAllDue(NOW)).isFalse();
        assertThat(backlog.mustRefill(NOW))
                .as("jobs that were added before the window was read, and are not in it")
                .isTrue();
        assertThat(backlog.dueHorizon(NOW)).as("from where to read on").isEmpty();

        refill(false, job("far", NOW.plusSeconds(3600).toEpochMilli()));
        assertThat(backlog.mustRefill(NOW)).isFalse();
    }

    @Test
    void jobs_that_did_not_fit_while_the_index_was_read_are_looked_for_again() {
        long begun = backlog.beginRefill();
        for (int i = 0; i < 2 * DueWindow.MOST; i++) {
            backlog.changed(job("j" + i, i));
        }
        backlog.refill(begun, window(true), List.of(), true);
        backlog.endRefill();
        take(backlog.due(NOW, 2 * DueWindow.MOST));
        assertThat(backlog.mustRefill(NOW)).as("the index has the rest").isTrue();
    }

    @Test
    void when_all_jobs_of_the_window_were_cancelled_the_next_time_is_where_the_window_ended() {
        Instant end = NOW.plusSeconds(60);
        refill(false, job("a", NOW.plusSeconds(30).toEpochMilli()), job("b", end.toEpochMilli()));
        backlog.remove("job:email:a");
        backlog.remove("job:email:b");
        assertThat(backlog.nextTime(job -> true)).as("others begin there").contains(end);
    }

    @Test
    void a_job_that_was_claimed_while_the_index_was_read_is_not_put_back_by_it() {
        long begun = backlog.beginRefill();
        backlog.changed(claimed("a"));
        backlog.refill(begun, window(true, job("a", 1)), List.of(), true);
        backlog.endRefill();
        assertThat(backlog.due(NOW, 9)).isEmpty();
    }

    @Test
    void the_index_replaces_what_was_known_of_a_job_in_an_older_revision() {
        refill(true, job("a", NOW.plusSeconds(3600).toEpochMilli()));
        backlog.doubt();
        refill(true, Job.parse(Jobs.json("{'_id':'job:email:a','_rev':'2-y','scheduledTime':1}")));
        assertThat(backlog.due(NOW, 9)).hasSize(1);
    }

    @Test
    void a_job_that_changed_without_being_read_is_looked_for_before_there_is_nothing() {
        refill(true, job("a", 1));
        backlog.unread("job:email:b", "1-x", true);
        assertThat(backlog.mustRefill(NOW)).as("while something is due").isFalse();
        take(List.of(job("a", 1)));
        assertThat(backlog.mustRefill(NOW)).isTrue();
        refill(true);
        assertThat(backlog.mustRefill(NOW)).as("when the index was read").isFalse();
        backlog.unread("job:email:b", "2-x", false);
        assertThat(backlog.mustRefill(NOW)).as("for one that cannot be pending").isFalse();
    }

    @Test
    void a_job_that_changed_without_being_read_while_the_index_was_may_be_missing_there() {
        long begun = backlog.beginRefill();
        backlog.unread("job:email:b", "1-x", true);
        backlog.refill(begun, window(true), List.of(), true);
        backlog.endRefill();
        assertThat(backlog.mustRefill(NOW)).isTrue();
    }

    @Test
    void a_job_that_changed_without_being_read_is_looked_for_until_the_index_could_be_read() {
        refill(true);
        backlog.unread("job:email:b", "1-x", true);
        backlog.beginRefill();
        backlog.endRefill();
        assertThat(backlog.mustRefill(NOW)).isTrue();
    }

    @Test
    void a_candidate_that_changed_without_being_read_is_gone_unless_it_is_that_very_revision() {
        refill(true, job("a", 1), job("b", 1));
        backlog.unread("job:email:a", rev(job("a", 1)), true);
        backlog.unread("job:email:b", "7-x", true);
        assertThat(backlog.due(NOW, 9)).extracting(job -> job.id().id()).containsExactly("a");
        assertThat(backlog.mustRefill(NOW)).isFalse();
    }

    @Test
    void the_index_does_not_bring_back_an_older_revision_than_one_that_nobody_has_read() {
        long begun = backlog.beginRefill();
        backlog.unread("job:email:a", "7-x", true);
        backlog.unread("job:email:b", rev(job("b", 1)), true);
        backlog.refill(begun, window(true, job("a", 1), job("b", 1)), List.of(), true);
        backlog.endRefill();
        assertThat(backlog.due(NOW, 9)).extracting(job -> job.id().id()).containsExactly("b");
    }

    @Test
    void a_job_that_was_removed_while_the_index_is_read_is_not_brought_back() {
        KnownJobs stock = new KnownJobs();
        long begun = stock.backlog().beginRefill();
        stock.gone("job:email:a");
        stock.backlog().refill(begun, window(true, job("a", 1), job("b", 1)), List.of(), true);
        stock.backlog().endRefill();
        assertThat(stock.backlog().due(NOW, 9)).extracting(job -> job.id().id()).containsExactly("b");
    }

    @Test
    void a_gap_empties_it() {
        refill(true, job("a", 1));
        backlog.forget();
        assertThat(backlog.due(NOW, 9)).isEmpty();
        assertThat(backlog.mustRefill(NOW)).isTrue();
    }

    private void take(List<Job> jobs) {
        jobs.forEach(job -> {
            backlog.remove(job.id().docId());
            backlog.markMoved(job.id().docId());
        });
    }

    private static JobIndex.Window window(boolean complete, Job... jobs) {
        Optional<DuePlace> end = jobs.length == 0 ? Optional.empty() : Optional.of(DuePlace.of(jobs[jobs.length - 1]));
        return new JobIndex.Window(List.of(jobs), complete, end);
    }

    private static Job claimed(String id) {
        return Job.parse(Jobs.json("{'_id':'job:email:" + id
                + "','_rev':'2-x','status':'running','lock':{'token':'t','worker':'w','since':1}}"));
    }

    @Test
    void a_share_that_was_read_to_its_end_does_not_say_that_there_is_nothing() {
        long begun = backlog.beginRefill();
        backlog.refill(begun, window(true, job("a", 1)), List.of(), false);
        backlog.endRefill();
        take(List.of(job("a", 1)));
        assertThat(backlog.mustRefill(NOW)).isTrue();
        assertThat(backlog.knowsAllDue(NOW)).isFalse();
    }

    @Test
    void a_share_without_jobs_is_read_on_from_where_it_ended() {
        long begun = backlog.beginRefill();
        DuePlace end = DuePlace.of(job("z", 9));
        backlog.refill(begun, new JobIndex.Window(List.of(), false, Optional.of(end)), List.of(), false);
        backlog.endRefill();
        assertThat(backlog.dueHorizon(NOW)).contains(end);
    }

    @Test
    void a_job_of_this_workers_share_is_so_until_it_changes() {
        refill(false, job("a", 1), job("b", 2));
        backlog.markOurs(List.of(job("a", 1), job("gone", 1)));
        assertThat(backlog.isOurs(job("a", 1))).isTrue();
        assertThat(backlog.isOurs(job("b", 2))).isFalse();
        assertThat(backlog.isOurs(job("gone", 1))).isFalse();
        backlog.changed(Job.parse(Jobs.json("{'_id':'job:email:a','_rev':'2-y','scheduledTime':1}")));
        assertThat(backlog.isOurs(job("a", 1))).isFalse();
    }

    private void refill(boolean complete, Job... jobs) {
        long begun = backlog.beginRefill();
        backlog.refill(begun, window(complete, jobs), List.of(), true);
        backlog.endRefill();
    }

    private static Job job(String id, long time) {
        return Job.parse(Jobs.json("{'_id':'job:email:" + id + "','_rev':'1-x','scheduledTime':" + time + "}"));
    }

    private static String rev(Job job) {
        return job.rev().orElseThrow();
    }
}
