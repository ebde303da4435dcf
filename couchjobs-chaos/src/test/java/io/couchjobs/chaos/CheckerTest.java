package io.couchjobs.chaos;

import static io.couchjobs.chaos.Forged.claim;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.chaos.Forged.Claim;
import io.couchjobs.job.JobStatus;
import org.junit.jupiter.api.Test;

/** Each broken promise is seen, in a history that differs from one that is well in nothing else. */
class CheckerTest {
    private static final String JOB = "job:short:1";
    private static final String OTHER = "job:short:2";
    private static final Claim FIRST = claim(JOB, 1);
    private static final Claim SECOND = claim(JOB, 2);
    /** The owner whose run is the last retry. */
    private static final Claim LAST = claim(JOB, 4);

    private static final String CHUNK = "job:items:a:000001";
    private static final Claim OF_CHUNK = claim(CHUNK, 1);
    private static final Claim NEXT_OF_CHUNK = claim(CHUNK, 2);

    private final Forged forged = new Forged();

    /** Added and run to its end, by an owner who is not followed by another one. */
    private Forged ofOneOwner() {
        return forged.made(JOB).run(10, FIRST, "done", 20, "SUCCEEDED").success(FIRST);
    }

    /** The first owner loses its lease at 15, and the second one has the job from 20 on. */
    private Forged ofTwoOwners() {
        return forged.made(JOB)
                .run(10, FIRST, What.BEGIN)
                .run(14, FIRST, What.HELD)
                .run(20, SECOND, "done", 30, "SUCCEEDED")
                .success(SECOND);
    }

    /** Three runs failed, and by the failure of the last one the job fails for good. */
    private Forged failed(String errors) {
        return failedThrice()
                .run(10, LAST, "failed", 20, "FAILED")
                .document("{'_id': '" + JOB + "', 'status': 'failed', 'fence': 4, 'errors': [" + errors + "]}");
    }

    /** Nobody knows whether these failures were stored. */
    private Forged failedThrice() {
        return forged.made(JOB)
                .run(3, claim(JOB, 1), "failed", 5, "HALTED")
                .run(5, claim(JOB, 2), "failed", 7, "HALTED")
                .run(7, claim(JOB, 3), "failed", 9, "HALTED");
    }

    private static String error(Claim claim) {
        return "{'attempt': 1, 'at': 1, 'kind': 'failed', 'message': '"
                + Work.Failure.message(claim.token(), claim.fence()) + "'}";
    }

    private Forged cancelled() {
        return forged.made(JOB)
                .creator(5, What.CANCELLING, JOB)
                .run(10, FIRST, What.BEGIN)
                .run(11, FIRST, What.HELD)
                .document("{'_id': '" + JOB + "', 'status': 'cancelled', 'fence': 1}");
    }

    private void assertBroken(String promise) {
        assertThat(forged.violations()).hasSize(1).first().asString().startsWith(promise + ":");
    }

    @Test
    void what_is_well_is_found_well() {
        ofOneOwner();
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void an_owner_may_follow_a_dead_one_whose_handler_goes_on_for_a_while() {
        ofTwoOwners().run(40, FIRST, What.END, "stopped HALTED").run(41, FIRST, What.OUTCOME, "HALTED");
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_frozen_owner_may_even_begin_after_its_successor_as_long_as_it_knows_that_it_is_none() {
        forged.made(JOB)
                .run(20, SECOND, "done", 30, "SUCCEEDED")
                .run(25, FIRST, What.BEGIN)
                .run(26, FIRST, What.END, "stopped HALTED")
                .success(SECOND);
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_failure_that_is_among_the_errors_is_well() {
        failed(error(LAST));
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void what_somebody_cancelled_may_be_cancelled() {
        cancelled();
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_lease_that_is_not_over_while_another_owner_runs_is_seen() {
        ofTwoOwners().run(21, FIRST, What.HELD);
        assertBroken("one owner");
    }

    @Test
    void a_yes_of_the_database_while_another_owner_runs_is_seen() {
        ofTwoOwners().run(21, FIRST, What.ASSERTED);
        assertBroken("one owner");
    }

    @Test
    void an_end_that_is_accepted_after_another_owner_began_is_seen() {
        forged.made(JOB)
                .run(10, FIRST, "stopped CLOSING", 25, "RELEASED")
                .run(20, SECOND, "done", 30, "SUCCEEDED")
                .success(SECOND);
        assertBroken("no late results");
    }

    @Test
    void a_result_that_is_given_back_is_seen() {
        forged.made(JOB)
                .run(10, FIRST, "done", 20, "RELEASED")
                .run(30, SECOND, "done", 40, "SUCCEEDED")
                .success(SECOND);
        assertBroken("results are stored");
    }

    @Test
    void two_claims_with_one_fence_are_seen() {
        ofTwoOwners().run(40, new Claim(JOB, 2, "twin"), What.BEGIN);
        assertBroken("fences grow");
    }

    @Test
    void one_claim_that_is_run_twice_is_seen() {
        ofOneOwner().run(11, FIRST, What.BEGIN);
        assertBroken("one run per claim");
    }

    @Test
    void a_document_with_a_smaller_fence_than_that_of_a_run_is_seen() {
        forged.made(JOB)
                .creator(5, What.CANCELLING, JOB)
                .run(10, SECOND, What.BEGIN)
                .document("{'_id': '" + JOB + "', 'status': 'cancelled', 'fence': 1}");
        assertBroken("fences grow");
    }

    @Test
    void a_stored_result_of_a_superseded_owner_is_seen() {
        forged.made(JOB).run(10, FIRST, What.BEGIN).run(20, SECOND, What.BEGIN).success(FIRST, 2);
        assertBroken("no late results");
    }

    @Test
    void a_result_that_was_written_in_time_stands_when_the_next_claim_was_withdrawn() {
        resultOfTheFirstOfTwoHaltedRuns(15);
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void on_one_node_no_result_stands_when_others_ran_the_job_later() {
        resultOfTheFirstOfTwoHaltedRuns(15);
        forged.oneNode();
        assertBroken("no late results");
    }

    @Test
    void a_result_that_was_not_written_before_the_next_owner_began_is_seen() {
        resultOfTheFirstOfTwoHaltedRuns(25);
        assertBroken("no late results");
    }

    @Test
    void it_stands_also_when_the_worker_of_the_next_claim_notes_no_outcomes() {
        forged.made(JOB)
                .run(10, FIRST, "done", 15, "HALTED")
                .unheardRun(20, SECOND)
                .success(FIRST, 2);
        assertThat(forged.violations()).isEmpty();
    }

    private void resultOfTheFirstOfTwoHaltedRuns(long end) {
        forged.made(JOB)
                .run(10, FIRST, "done", end, "HALTED")
                .run(20, SECOND, "stopped", 30, "HALTED")
                .success(FIRST, 2);
    }

    @Test
    void a_stored_failure_of_a_superseded_owner_is_seen() {
        failedThrice()
                .run(10, LAST, "failed", 15, "HALTED")
                .run(20, claim(JOB, 5), What.BEGIN)
                .document("{'_id': '" + JOB + "', 'status': 'failed', 'fence': 5, 'errors': [" + error(LAST) + "]}");
        assertBroken("no late results");
    }

    /** Its claim expired without a run; the next one must have a greater fence, and the document says so. */
    @Test
    void a_fence_that_was_raised_above_that_of_the_last_run_is_no_late_result() {
        forged.made(JOB).run(10, FIRST, What.BEGIN).success(FIRST, 2);
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_fence_that_was_raised_above_that_of_the_last_run_is_no_late_failure() {
        failedThrice()
                .run(10, LAST, "failed", 15, "HALTED")
                .document("{'_id': '" + JOB + "', 'status': 'failed', 'fence': 5, 'errors': [" + error(LAST) + "]}");
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_result_of_no_run_is_seen() {
        forged.made(JOB).run(10, FIRST, What.BEGIN).success(SECOND);
        assertBroken("results are of runs");
    }

    @Test
    void a_failure_of_no_run_is_seen() {
        failed(error(LAST) + ", {'attempt': 2, 'at': 1, 'kind': 'failed', 'message': 'refused'}");
        assertBroken("failures are of runs");
    }

    @Test
    void a_job_that_fails_and_that_nobody_ran_is_seen() {
        ofOneOwner().made(OTHER).document("{'_id': '" + OTHER + "', 'status': 'failed', 'fence': 1}");
        assertBroken("failures are retried");
    }

    @Test
    void a_job_that_fails_for_good_at_its_first_failure_is_seen() {
        forged.made(JOB)
                .run(10, FIRST, "failed", 20, "FAILED")
                .document("{'_id': '" + JOB + "', 'status': 'failed', 'fence': 1, 'errors': [" + error(FIRST) + "]}");
        assertBroken("failures are retried");
    }

    @Test
    void a_job_that_is_stopped_at_its_time_limit_each_time_fails_for_good() {
        endless(WorkerProcess.TIME_LIMIT.toNanos());
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_run_that_is_stopped_before_its_time_limit_is_seen() {
        endless(WorkerProcess.TIME_LIMIT.minusSeconds(3).toNanos());
        assertBroken("nobody is stopped before the time limit");
    }

    /** The second run takes as long as given. */
    private void endless(long nanos) {
        String endless = "job:endless:1";
        long begin = WorkerProcess.TIME_LIMIT.plusSeconds(1).toNanos();
        forged.creator(1, What.ADDING, endless, "ENDLESS 0 ")
                .run(10, claim(endless, 1), "stopped TOO_SLOW", 10 + WorkerProcess.TIME_LIMIT.toNanos(), "RETRIED")
                .run(begin, claim(endless, 2), "stopped TOO_SLOW", begin + nanos, "FAILED")
                .document("{'_id': '" + endless + "', 'status': 'failed', 'fence': 2}");
    }

    @Test
    void a_success_that_is_stored_no_more_is_seen() {
        ofOneOwner().run(30, SECOND, What.BEGIN);
        forged.withoutDocuments().success(SECOND);
        assertBroken("what is stored stays");
    }

    @Test
    void a_job_that_is_run_again_after_its_success_is_seen() {
        forged.made(JOB)
                .run(10, FIRST, "done", 15, "SUCCEEDED")
                .run(20, SECOND, "stopped", 30, "HALTED")
                .success(FIRST, 2);
        assertBroken("what is stored stays");
    }

    @Test
    void a_failure_for_good_that_is_run_again_is_seen() {
        forged.made(JOB)
                .run(10, FIRST, "failed", 20, "FAILED")
                .run(30, SECOND, "done", 40, "SUCCEEDED")
                .document("{'_id': '" + JOB + "', 'status': 'success', 'fence': 2, 'errors': [" + error(FIRST)
                        + "], 'result': {'token': '" + SECOND.token() + "', 'fence': 2}}");
        assertBroken("what is stored stays");
    }

    @Test
    void a_cancelled_run_that_is_followed_is_seen() {
        forged.made(JOB)
                .creator(5, What.CANCELLING, JOB)
                .run(10, FIRST, "stopped CANCELLED", 20, "CANCELLED")
                .run(30, SECOND, "done", 40, "SUCCEEDED")
                .success(SECOND);
        assertBroken("what is stored stays");
    }

    @Test
    void a_failure_that_is_stored_no_more_is_seen() {
        failed("");
        assertBroken("what is stored stays");
    }

    @Test
    void who_adds_a_job_again_has_it_run_again() {
        ofOneOwner().creator(29, What.ADDING_AGAIN, JOB).run(30, SECOND, "done", 40, "SUCCEEDED");
        forged.withoutDocuments().success(SECOND);
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_job_that_was_acknowledged_and_is_gone_is_seen() {
        ofOneOwner().made(OTHER);
        assertBroken("nothing is lost");
    }

    @Test
    void a_job_that_ran_and_is_gone_is_seen() {
        ofOneOwner().creator(1, What.ADDING, OTHER, "SHORT 0 ").run(10, claim(OTHER, 1), What.BEGIN);
        assertBroken("nothing is lost");
    }

    @Test
    void a_job_that_was_not_acknowledged_may_be_there_or_not() {
        ofOneOwner()
                .creator(1, What.ADDING, OTHER, "SHORT 0 ")
                .creator(1, What.ADDING, "job:short:3", "SHORT 0 ")
                .run(10, claim(OTHER, 1), "done", 20, "SUCCEEDED")
                .success(claim(OTHER, 1));
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_job_that_nobody_made_is_seen() {
        ofOneOwner().run(10, claim(OTHER, 1), "done", 20, "SUCCEEDED").success(claim(OTHER, 1));
        assertBroken("no strangers");
    }

    @Test
    void a_job_that_is_cancelled_and_nobody_asked_for_it_is_seen() {
        forged.made(JOB)
                .run(10, FIRST, What.BEGIN)
                .document("{'_id': '" + JOB + "', 'status': 'cancelled', 'fence': 1}");
        assertBroken("cancelled is cancelled");
    }

    @Test
    void a_job_that_is_cancelled_though_that_was_refused_is_seen_on_one_node() {
        cancelled().creator(6, What.CANCEL_REFUSED, JOB);
        assertThat(forged.violations()).isEmpty();
        forged.oneNode();
        assertBroken("cancelled is cancelled");
    }

    @Test
    void a_job_that_goes_on_after_its_cancellation_was_acknowledged_is_seen() {
        cancelled().creator(9, What.CANCELLED, JOB);
        assertBroken("cancelled is cancelled");
    }

    @Test
    void a_job_that_succeeds_after_its_cancellation_was_acknowledged_is_seen() {
        ofOneOwner().creator(50, What.CANCELLED, JOB);
        assertBroken("cancelled is cancelled");
    }

    @Test
    void a_job_that_fails_after_it_was_to_be_cancelled_is_seen_on_one_node() {
        failed(error(LAST)).creator(15, What.CANCELLING, JOB).creator(16, What.CANCEL_REQUESTED, JOB);
        assertThat(forged.violations()).isEmpty();
        forged.oneNode();
        assertBroken("cancelled is cancelled");
    }

    @Test
    void a_job_that_is_run_again_and_again_after_it_was_to_be_cancelled_is_seen() {
        ofTwoOwners().creator(14, What.CANCELLING, JOB).creator(15, What.CANCEL_REQUESTED, JOB);
        assertThat(forged.violations()).isEmpty();
        forged.run(19, claim(JOB, 0), What.BEGIN);
        assertBroken("cancelled is cancelled");
    }

    @Test
    void a_job_that_is_run_again_after_its_owner_was_to_stop_is_seen() {
        ofTwoOwners().creator(11, What.CANCELLING, JOB).creator(12, What.CANCEL_REQUESTED, JOB);
        assertBroken("cancelled is cancelled");
    }

    @Test
    void a_handler_that_nobody_interrupts_is_seen() {
        ofOneOwner().run(11, FIRST, What.UNTOLD);
        assertBroken("who is to stop is told");
    }

    @Test
    void a_process_whose_threads_wait_for_each_other_is_seen() {
        ofOneOwner().creator(11, What.DEADLOCKED, Entry.NO_JOB);
        assertBroken("nobody stands still");
    }

    @Test
    void a_job_that_is_added_again_and_does_not_run_again_is_seen() {
        ofOneOwner().creator(15, What.ADDING_AGAIN, JOB).creator(15, What.ADDED_AGAIN, JOB);
        assertBroken("added again, run again");
    }

    @Test
    void who_waits_for_a_job_that_fails_is_cancelled() {
        failed(error(LAST))
                .creator(3, What.ADDING, OTHER, "HELD 0 " + JOB)
                .document("{'_id': '" + OTHER + "', 'status': 'cancelled'}");
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_job_that_runs_before_the_success_of_another_one_is_seen() {
        ofOneOwner()
                .creator(3, What.ADDING, OTHER, "HELD 0 " + JOB)
                .run(15, claim(OTHER, 1), "done", 40, "SUCCEEDED")
                .success(claim(OTHER, 1));
        assertBroken("not before the others");
    }

    @Test
    void a_job_that_runs_after_the_success_of_another_one_is_well() {
        ofOneOwner()
                .creator(3, What.ADDING, OTHER, "HELD 0 " + JOB)
                .run(25, claim(OTHER, 1), "done", 40, "SUCCEEDED")
                .success(claim(OTHER, 1));
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_job_that_runs_before_its_time_is_seen() {
        ofOneOwner()
                .creator(3, What.ADDING, OTHER, "LATER 1520 ")
                .run(15, claim(OTHER, 1), "done", 40, "SUCCEEDED")
                .success(claim(OTHER, 1));
        assertBroken("not before its time");
    }

    @Test
    void a_job_that_does_not_come_to_an_end_is_seen() {
        ofOneOwner().made(OTHER).document("{'_id': '" + OTHER + "'}");
        assertBroken("all comes to an end");
    }

    @Test
    void a_lock_that_is_left_is_seen() {
        ofOneOwner()
                .creator(1, What.ADDING, OTHER, "SHORT 0 ")
                .document("{'_id': '" + OTHER
                        + "', 'status': 'success', 'lock': {'token': 't', 'worker': 'w', 'since': 1}}");
        assertBroken("all jobs are jobs");
    }

    @Test
    void a_conflict_that_is_left_is_seen() {
        ofOneOwner().document("{'_id': 'type:short', '_conflicts': ['1-a']}");
        assertBroken("no conflicts are left");
    }

    @Test
    void an_index_that_does_not_count_what_is_there_is_seen() {
        ofOneOwner().count("short", JobStatus.SUCCESS, 2);
        assertBroken("counts agree");
    }

    @Test
    void an_end_that_a_reader_was_told_and_that_stands_is_well() {
        ofOneOwner().reader(0, What.FOLLOWS).told(25, FIRST, "SUCCESS " + FIRST.token());
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void an_end_that_a_reader_was_told_and_that_does_not_stand_is_seen() {
        ofTwoOwners().told(16, FIRST, "SUCCESS " + FIRST.token());
        assertBroken("told ends stand");
    }

    @Test
    void a_reader_that_was_told_that_a_job_is_gone_which_is_there_is_seen() {
        ofOneOwner().told(15, claim(JOB, 0), Entry.GONE);
        assertBroken("told ends stand");
    }

    @Test
    void a_reader_that_is_not_told_an_end_is_seen() {
        ofOneOwner().reader(0, What.FOLLOWS);
        assertBroken("ends are told");
    }

    @Test
    void a_reader_that_knows_that_it_missed_changes_need_not_be_told_the_end() {
        ofOneOwner().reader(0, What.FOLLOWS).reader(5, What.MISSED);
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_reader_that_missed_changes_is_told_the_ends_of_later_jobs() {
        forged.reader(0, What.FOLLOWS).reader(5, What.MISSED);
        forged.creator(6, What.ADDING, JOB, "SHORT 0 ")
                .run(10, FIRST, "done", 20, "SUCCEEDED")
                .success(FIRST);
        assertBroken("ends are told");
    }

    @Test
    void a_reader_that_is_not_told_the_end_of_a_job_of_a_change_is_seen() {
        forged.reader(0, What.FOLLOWS)
                .changed("newest-1", "3-a")
                .ofChange("job:newest:newest-1", "newest-1", "3-a", "3-a");
        assertBroken("ends are told");
    }

    @Test
    void the_first_end_of_a_job_that_is_added_again_may_be_told() {
        ofOneOwner()
                .told(25, FIRST, "SUCCESS " + FIRST.token())
                .creator(29, What.ADDING_AGAIN, JOB)
                .run(30, SECOND, "done", 40, "SUCCEEDED");
        forged.withoutDocuments().success(SECOND);
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_run_in_which_nothing_happened_proves_nothing() {
        assertThat(forged.violations()).hasSize(1);
    }

    /** An array of one chunk, whose first three items are run. The third one does not succeed. */
    private Forged array(String stored, String states, String status) {
        return forged.creator(1, What.ADDING, CHUNK, "ITEMS 0 ")
                .creator(2, What.ADDED, CHUNK, Integer.toString(states.length()))
                .run(10, OF_CHUNK, What.BEGIN, "chunk")
                .run(11, OF_CHUNK, What.ITEM_BEGIN, "0")
                .run(12, OF_CHUNK, What.ITEM_DONE, "0")
                .run(13, OF_CHUNK, What.ITEM_BEGIN, "1")
                .run(14, OF_CHUNK, What.ITEM_DONE, "1")
                .run(15, OF_CHUNK, What.ITEMS_STORED, stored)
                .run(16, OF_CHUNK, What.ITEM_BEGIN, "2")
                .document("{'_id': '" + CHUNK + "', 'status': '" + status
                        + "', 'fence': 2, 'array': {'first': 0, 'states': '" + states + "'}}");
    }

    @Test
    void an_array_whose_items_have_ended_is_well() {
        array("ss.", "ssf", "failed");
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void an_item_that_was_not_run_is_seen() {
        array("s..", "ss.", "failed");
        assertBroken("items are run");
    }

    @Test
    void an_array_that_succeeds_with_a_failed_item_is_seen() {
        array("ss.", "ssf", "success");
        assertBroken("items that fail are told");
    }

    @Test
    void a_stored_end_of_an_item_that_was_undone_is_seen() {
        array("ss.", "sff", "failed");
        assertBroken("stored ends of items stay");
    }

    @Test
    void a_chunk_that_is_run_again_after_its_end_is_seen() {
        array("ss.", "ssf", "failed").run(17, OF_CHUNK, What.OUTCOME, "FAILED").run(20, NEXT_OF_CHUNK, What.BEGIN);
        assertBroken("what is stored stays");
    }

    @Test
    void an_end_of_an_item_that_nobody_ran_is_seen() {
        array("ss.", "sss", "success");
        assertBroken("ends of items are of runs");
    }

    @Test
    void an_item_that_failed_and_that_nobody_ran_is_seen() {
        array("ss..", "ssff", "failed");
        assertBroken("ends of items are of runs");
    }

    @Test
    void a_chunk_that_has_lost_an_item_is_seen() {
        array("ss.", "ssf", "failed").creator(1, What.ADDED, CHUNK, "4");
        assertBroken("nothing is lost");
    }

    @Test
    void an_item_whose_end_is_stored_and_that_is_run_again_is_seen_on_one_node() {
        array("ss.", "ssf", "failed").run(20, NEXT_OF_CHUNK, What.BEGIN).run(21, NEXT_OF_CHUNK, What.ITEM_BEGIN, "1");
        assertThat(forged.violations()).isEmpty();
        forged.oneNode();
        assertBroken("stored ends of items stay");
    }

    @Test
    void a_job_that_waits_for_an_array_begins_after_its_last_item() {
        array("ss.", "sss", "success").run(20, OF_CHUNK, What.ITEM_DONE, "2");
        heldBy(CHUNK, 21);
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_job_that_begins_before_the_last_item_of_the_array_that_it_waits_for_is_seen() {
        array("ss.", "sss", "success").run(20, OF_CHUNK, What.ITEM_DONE, "2");
        heldBy(CHUNK, 19);
        assertBroken("not before the others");
    }

    @Test
    void documents_whose_newest_states_and_revisions_were_run_are_well() {
        forged.changed("newest-1", "3-a", "2-b")
                .ofChange("job:newest:newest-1", "newest-1", "3-a", "3-a")
                .changed("each-1", "2-a", "2-b")
                .ofChange("job:each:each-1/2-a", "each-1", "2-a", "2-a")
                .ofChange("job:each:each-1/2-b", "each-1", "2-b", "2-b");
        assertThat(forged.violations()).isEmpty();
    }

    @Test
    void a_newest_state_that_was_not_run_is_seen() {
        forged.changed("newest-1", "3-a").ofChange("job:newest:newest-1", "newest-1", "3-a", "2-a");
        assertBroken("no change is lost");
    }

    @Test
    void a_leaf_without_a_job_is_seen() {
        forged.changed("each-1", "2-a", "2-b").ofChange("job:each:each-1/2-a", "each-1", "2-a", "2-a");
        assertBroken("no change is lost");
    }

    @Test
    void two_jobs_of_one_revision_are_seen() {
        forged.changed("each-1", "2-a")
                .ofChange("job:each:each-1/2-a", "each-1", "2-a", "2-a")
                .ofChange("job:each:other", "each-1", "2-a", "2-a");
        assertBroken("no change makes two jobs");
    }

    @Test
    void a_job_of_a_document_that_nobody_saved_is_seen() {
        forged.ofChange("job:newest:newest-1", "newest-1", "3-a", "3-a");
        assertBroken("no strangers");
    }

    private void heldBy(String other, long begin) {
        forged.creator(1, What.ADDING, JOB, "HELD 0 " + other)
                .creator(2, What.ADDED, JOB)
                .run(begin, FIRST, "done", 40, "SUCCEEDED")
                .success(FIRST);
    }
}
