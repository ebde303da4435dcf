package io.couchjobs.chaos;

import static io.couchjobs.chaos.Forged.claim;

import io.couchjobs.chaos.Entry.What;
import org.junit.jupiter.api.Test;

/** Which results and failures are stored, and that they stay. */
class OutcomeRulesTest extends ForgedHistories {
    @Test
    void a_failure_that_is_among_the_errors_is_well() {
        failed(error(LAST));
        assertWell();
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
    void a_stored_result_of_a_superseded_owner_is_seen() {
        forged.made(JOB).run(10, FIRST, What.BEGIN).run(20, SECOND, What.BEGIN).success(FIRST, 2);
        assertBroken("no late results");
    }

    @Test
    void a_result_that_was_written_in_time_stands_when_the_next_claim_was_withdrawn() {
        resultOfTheFirstOfTwoHaltedRuns(15);
        assertWell();
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
        assertWell();
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
        assertWell();
    }

    @Test
    void a_fence_that_was_raised_above_that_of_the_last_run_is_no_late_failure() {
        failedThrice()
                .run(10, LAST, "failed", 15, "HALTED")
                .document("{'_id': '" + JOB + "', 'status': 'failed', 'fence': 5, 'errors': [" + error(LAST) + "]}");
        assertWell();
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
    void a_job_that_is_added_again_runs_again() {
        ofOneOwner().creator(29, What.ADDING_AGAIN, JOB).run(30, SECOND, "done", 40, "SUCCEEDED");
        forged.withoutDocuments().success(SECOND);
        assertWell();
    }

    private void resultOfTheFirstOfTwoHaltedRuns(long end) {
        forged.made(JOB)
                .run(10, FIRST, "done", end, "HALTED")
                .run(20, SECOND, "stopped", 30, "HALTED")
                .success(FIRST, 2);
    }
}
