package io.couchjobs.chaos;

import static io.couchjobs.chaos.Forged.claim;

import io.couchjobs.chaos.Entry.What;
import org.junit.jupiter.api.Test;

/** The rules on what creators are told. */
class CreatorRulesTest extends ForgedHistories {
    @Test
    void a_job_that_somebody_cancelled_may_be_cancelled() {
        cancelled();
        assertWell();
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
        assertWell();
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
        assertWell();
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
        assertWell();
        forged.oneNode();
        assertBroken("cancelled is cancelled");
    }

    @Test
    void a_job_that_is_run_again_and_again_after_it_was_to_be_cancelled_is_seen() {
        ofTwoOwners().creator(14, What.CANCELLING, JOB).creator(15, What.CANCEL_REQUESTED, JOB);
        assertWell();
        forged.run(19, claim(JOB, 0), What.BEGIN);
        assertBroken("cancelled is cancelled");
    }

    @Test
    void a_job_that_is_run_again_after_its_owner_was_to_stop_is_seen() {
        ofTwoOwners().creator(11, What.CANCELLING, JOB).creator(12, What.CANCEL_REQUESTED, JOB);
        assertBroken("cancelled is cancelled");
    }

    @Test
    void a_job_that_is_added_again_and_does_not_run_again_is_seen() {
        ofOneOwner().creator(15, What.ADDING_AGAIN, JOB).creator(15, What.ADDED_AGAIN, JOB);
        assertBroken("added again, run again");
    }

    @Test
    void a_job_that_waits_for_a_job_that_fails_is_cancelled() {
        failed(error(LAST))
                .creator(3, What.ADDING, OTHER, "HELD 0 " + JOB)
                .document("{'_id': '" + OTHER + "', 'status': 'cancelled'}");
        assertWell();
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
        assertWell();
    }

    @Test
    void a_job_that_runs_before_its_time_is_seen() {
        ofOneOwner()
                .creator(3, What.ADDING, OTHER, "LATER 1520 ")
                .run(15, claim(OTHER, 1), "done", 40, "SUCCEEDED")
                .success(claim(OTHER, 1));
        assertBroken("not before its time");
    }

    private Forged cancelled() {
        return forged.made(JOB)
                .creator(5, What.CANCELLING, JOB)
                .run(10, FIRST, What.BEGIN)
                .run(11, FIRST, What.HELD)
                .document("{'_id': '" + JOB + "', 'status': 'cancelled', 'fence': 1}");
    }
}
