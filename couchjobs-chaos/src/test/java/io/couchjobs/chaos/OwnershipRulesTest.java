package io.couchjobs.chaos;

import static io.couchjobs.chaos.Forged.claim;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.chaos.Forged.Claim;
import org.junit.jupiter.api.Test;

/** Who owns a job, and when it must stop. */
class OwnershipRulesTest extends ForgedHistories {
    @Test
    void an_owner_may_follow_a_dead_one_whose_handler_goes_on_for_a_while() {
        ofTwoOwners().run(40, FIRST, What.END, "stopped HALTED").run(41, FIRST, What.OUTCOME, "HALTED");
        assertWell();
    }

    @Test
    void a_frozen_owner_may_even_begin_after_its_successor_as_long_as_it_knows_that_it_is_none() {
        forged.made(JOB)
                .run(20, SECOND, "done", 30, "SUCCEEDED")
                .run(25, FIRST, What.BEGIN)
                .run(26, FIRST, What.END, "stopped HALTED")
                .success(SECOND);
        assertWell();
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
    void a_job_that_is_stopped_at_its_time_limit_each_time_fails_for_good() {
        endless(WorkerProcess.TIME_LIMIT.toNanos());
        assertWell();
    }

    @Test
    void a_run_that_is_stopped_before_its_time_limit_is_seen() {
        endless(WorkerProcess.TIME_LIMIT.minusSeconds(3).toNanos());
        assertBroken("nobody is stopped before the time limit");
    }

    @Test
    void a_handler_that_nobody_interrupts_is_seen() {
        ofOneOwner().run(11, FIRST, What.UNTOLD);
        assertBroken("who is to stop is told");
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
}
