package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.create.Releaser;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.EndAs;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.worker.SimulatedWorker;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * The owner of a job was cut off before it ended the job, and its lease ran out on the other side. Only a claim ends such a job there: what
 * others write with the owner's fence counts less than the owner's end, when that turns up.
 */
class ExpiriesOnClustersTest extends PlayedCluster {
    /** Model: EXPIRY_ENDS. */
    @Test
    void a_cancellation_stands_beside_the_end_of_the_owner() {
        JobId id = insert("a");
        endUnheard(() -> cancel(id));
        expire();
        assertEndsAndStands(id, JobStatus.CANCELLED);
    }

    @Test
    void a_failure_because_of_too_many_leases_stands_beside_the_end_of_the_owner() {
        JobId id = insert("a");
        failAtTheFirstExpiry();
        endUnheard(() -> {});
        expire();
        assertEndsAndStands(id, JobStatus.FAILED);
    }

    @Test
    void the_retry_of_a_run_that_failed_stands_beside_an_expiry_that_was_one_too_many() {
        JobId id = insert("a");
        failAtTheFirstExpiry();
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        Job claimed = claim.job();
        world.cluster().isolate(2);
        world.play(zero, () -> claim.fail(JobError.Kind.FAILED, "no connection", null, false));
        write(two, ClusterTransitions.expire(claimed, OptionalInt.of(0), now(two)));
        assertThat(afterTheCut(id).status()).isEqualTo(JobStatus.STUCK);
    }

    @Test
    void an_operator_who_releases_a_job_that_is_to_be_cancelled_does_not_end_it() {
        JobId id = insert("a");
        endUnheard(() -> cancel(id));
        world.play(zero, () -> new Releaser(
                        zero.parts().store(),
                        new Creator(zero.parts().store(), zero.parts().clock()))
                .release(id));
        assertEndsAndStands(id, JobStatus.CANCELLED);
    }

    /** Model: OLD_MEANT. That claim was made where nobody knew of the request, and its claimer died before it was told that it owns nothing. */
    @Test
    void a_request_to_cancel_stands_beside_a_later_claim_of_which_the_others_never_heard() {
        JobId id = insert("a");
        Job claimed = accept(zero, "owner").orElseThrow().job();
        world.cluster().isolate(2);
        write(two, ClusterTransitions.expire(claimed, OptionalInt.empty(), now(two)));
        write(two, claim(two, read(two, id), "unheard"));
        cancel(id);
        heal();
        expire();
        assertThat(accept(zero, "next").orElseThrow().isOnlyToEnd()).isTrue();
    }

    /** Model: CANCELS_EXPIRED. */
    @Test
    void a_cancel_of_an_expired_job_at_a_node_that_is_cut_off_does_not_undo_the_end_of_the_owner() {
        JobId id = insert("a");
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        Job claimed = claim.job();
        world.cluster().isolate(2);
        write(two, ClusterTransitions.expire(claimed, OptionalInt.empty(), now(two)));
        world.play(zero, () -> claim.finish());
        assertThat(world.play(two, () -> isConfirmed(() -> cancel(two, id)))).isFalse();
        assertThat(afterTheCut(id).status()).isEqualTo(JobStatus.SUCCESS);
    }

    /** Model: CANCELS_EXPIRED. */
    @Test
    void the_next_claim_cancels_an_expired_job_though_its_owner_ended_it_unheard() {
        JobId id = insert("a");
        endUnheard(() -> {});
        expire();
        assertThat(world.play(zero, () -> cancel(zero, id))).isEqualTo(CancelResult.AT_NEXT_CLAIM);
        assertEndsAndStands(id, JobStatus.CANCELLED);
    }

    @Test
    void a_job_that_waits_to_be_cancelled_is_run_when_it_is_added_again() {
        JobId id = insert("a");
        assertThat(accept(zero, "owner")).isPresent();
        cancel(id);
        expire();
        assertThat(EndAs.of(read(zero, id))).contains(JobStatus.CANCELLED);
        assertThat(add(one, "a").outcome()).isEqualTo(AddResult.Outcome.UPDATED);
        assertIsRun(id);
    }

    @Test
    void a_job_of_which_too_many_owners_died_is_run_when_it_is_added_again() {
        JobId id = insert("a");
        failAtTheFirstExpiry();
        assertThat(accept(zero, "owner")).isPresent();
        expire();
        assertThat(EndAs.of(read(zero, id))).contains(JobStatus.FAILED);
        assertThat(add(one, "a").outcome()).isEqualTo(AddResult.Outcome.UPDATED);
        assertIsRun(id);
    }

    @Test
    void another_run_that_the_dead_owner_was_asked_for_is_run() {
        JobId id = insert("a");
        failAtTheFirstExpiry();
        assertThat(accept(zero, "owner")).isPresent();
        assertThat(add(one, "a").outcome()).isEqualTo(AddResult.Outcome.RESUBMITTED);
        expire();
        assertIsRun(id);
    }

    private void assertIsRun(JobId id) {
        LeasedJob claim = accept(zero, "next").orElseThrow();
        assertThat(claim.isOnlyToEnd()).isFalse();
        assertThat(read(one, id).status()).isEqualTo(JobStatus.RUNNING);
    }

    /** By the next claim, as workers and claims by hand do it. */
    private void assertEndsAndStands(JobId id, JobStatus end) {
        LeasedJob claim = accept(zero, "next").orElseThrow();
        assertThat(claim.isOnlyToEnd()).isTrue();
        world.play(zero, claim::endWithoutRun);
        assertThat(read(zero, id).status()).isEqualTo(end);
        assertThat(afterTheCut(id).status()).isEqualTo(end);
    }

    private void failAtTheFirstExpiry() {
        world.play(
                zero,
                () -> zero.parts().settings().change(World.TYPE, settings -> settings.with(Limit.EXPIRATIONS, 0)));
        world.time().pass(Duration.ofSeconds(5));
    }

    private void cancel(JobId id) {
        world.play(zero, () -> cancel(zero, id));
    }

    private static CancelResult cancel(Client at, JobId id) {
        return new Creator(at.parts().store(), at.parts().clock()).cancel(id, CancelMode.REQUEST, null);
    }

    private static boolean isConfirmed(Supplier<CancelResult> change) {
        try {
            return change.get() != null;
        } catch (UnconfirmedException cutOff) {
            return false;
        }
    }

    /** An owner is cut off, and ends its job there. It does not hear of what happens on the other side before. */
    private void endUnheard(Runnable onTheOtherSide) {
        Job claimed = accept(two, "owner").orElseThrow().job();
        world.cluster().isolate(2);
        onTheOtherSide.run();
        write(two, Transitions.finish(claimed, null, null, now(two)));
    }

    /** Another worker finds that the owner gives no sign of life. */
    private void expire() {
        SimulatedWorker watching =
                new SimulatedWorker(zero.parts(), "watching", World.TYPE, any -> false, any -> false);
        world.play(zero, () -> {
            zero.parts().index().owned();
            watching.start();
            return true;
        });
        world.time().pass(Duration.ofMinutes(5));
    }

    private Job afterTheCut(JobId id) {
        heal();
        for (Client client : new Client[] {one, zero, two}) {
            world.play(client, () -> client.conflicts().resolve(id.docId()));
        }
        return read(one, id);
    }
}
