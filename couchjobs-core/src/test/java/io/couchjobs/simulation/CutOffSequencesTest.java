package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.create.ArrayCreator;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.create.Restorer;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.worker.HandClaims;
import io.couchjobs.engine.worker.SimulatedWorker;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.UnconfirmedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What an owner whose lease was over, and a caller at a node that is cut off, must not be told. Exact sequences. */
class CutOffSequencesTest extends PlayedCluster {
    /** Model: REVIVED. Which of the two leaves is the best one depends on the hash of its revision, so it is played at some times. */
    @Test
    void an_owner_whose_lease_was_over_does_not_get_it_back_beside_a_withdrawal_of_its_claim() {
        for (int more = 0; more < 8; more++) {
            playOn(Plan.PLAYED);
            JobId id = insert("a");
            LeasedJob first = accept(zero, "owner").orElseThrow();
            world.time().pass(Duration.ofMillis(100_000 + 37L * more));
            assertThat(world.play(zero, first::isLeaseOver)).isTrue();
            world.cluster().isolate(2);
            write(
                    two,
                    ClusterTransitions.withdrawAfterRun(
                            first.job(), now(two))); // 202: as AbandonedClaims and DeadOwners write it
            String renewed = world.play(zero, () -> outcome(first::update));
            world.cluster().heal(2);
            world.time().pass(Duration.ofMillis(500));
            resolve(id, one, zero, two);
            world.time().pass(Duration.ofMillis(500));
            resolve(id, one);
            LeasedJob second = accept(one, "later").orElse(null);
            boolean firstHolds = renewed.equals("running") && !world.play(zero, first::isLeaseOver);
            boolean secondHolds = second != null && !world.play(one, second::isLeaseOver);
            assertThat(firstHolds && secondHolds)
                    .as("two leases that are confirmed, of the job: "
                            + first.job().document() + " and "
                            + (second == null ? "" : second.job().document()))
                    .isFalse();
        }
    }

    /** Model: STILL_WAITS. */
    @Test
    void an_add_that_changes_nothing_at_a_node_that_is_cut_off_is_not_acknowledged() {
        JobId id = insert("a");
        world.cluster().isolate(2);
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        world.play(zero, () -> claim.finish("done"));
        String told = outcomeOfAdd(two, request("a", Instant.EPOCH));
        heal();
        world.time().pass(Duration.ofSeconds(30));
        resolve(id, one, zero, two);
        boolean willRun = read(zero, id).status() == JobStatus.WAITING;
        assertThat(told.startsWith("Unconfirmed") || told.startsWith("Contention") || willRun)
                .as("told " + told + ", and the job is " + read(zero, id).status())
                .isTrue();
    }

    /** Model: STILL_WAITS. All leaves go back to what the creator has found. */
    @Test
    void an_add_that_changes_nothing_is_not_acknowledged_when_the_job_has_moved_on_and_its_leaves_are_unresolved() {
        JobId id = insert("a");
        world.cluster().isolate(2);
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        world.play(zero, () -> claim.finish("done"));
        Decision late = claim(two, read(two, id), "late");
        AtomicReference<String> told = new AtomicReference<>("nothing yet");
        two.process().play("creator", () -> told.set(outcomeOf(two, request("a", Instant.EPOCH))));
        world.time().pass(Duration.ofMillis(300));
        Job claimed = write(two, late); // 202
        write(two, ClusterTransitions.withdraw(claimed, "no quorum", now(two)));
        world.cluster().heal(2);
        world.time().pass(Duration.ofSeconds(30));
        assertThat(told.get()).isNotEqualTo("nothing yet").isNotEqualTo("UNCHANGED");
    }

    /** Model: STILL_OWNED. The claim and the end have one fence, and only the end counts. */
    @Test
    void an_add_if_new_is_not_acknowledged_when_the_job_has_ended_beside_another_claim_of_the_same_revision() {
        JobId id = insert("a");
        world.cluster().isolate(2);
        write(two, claim(two, read(two, id), "dead")); // 202, and nobody withdraws it
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        world.play(zero, () -> claim.finish("done"));
        AtomicReference<String> told = new AtomicReference<>("nothing yet");
        two.process().play("creator", () -> told.set(outcomeOfAddIfNew(two, request("a", Instant.EPOCH))));
        world.time().pass(Duration.ofMillis(300));
        world.cluster().heal(2);
        world.time().pass(Duration.ofSeconds(30));
        assertThat(told.get()).isNotEqualTo("nothing yet").isNotEqualTo("UNCHANGED");
    }

    /** Model: WISHED_APART. The leaf that waits has the greater fence, and will count less than the end of the run. */
    @Test
    void an_add_is_not_acknowledged_on_a_leaf_that_the_end_of_a_running_owner_will_outweigh() {
        for (int earlier : List.of(1, 2)) {
            playOn(Plan.PLAYED);
            JobId id = parted();
            LeasedJob claim = accept(zero, "owner").orElseThrow();
            world.cluster().heal(2);
            world.time().pass(Duration.ofSeconds(1));
            String told = outcomeOfAdd(zero, request("a", at(earlier)));
            world.play(zero, () -> outcome(() -> claim.finish("done")));
            heal();
            resolve(id, one, zero, two);
            assertThat(told.startsWith("Contention") || read(zero, id).status() == JobStatus.WAITING)
                    .as("told " + told + ", and the job is " + read(zero, id).status())
                    .isTrue();
        }
    }

    /** A job that waits, and was added to be run sooner, twice, at a node that is cut off. */
    private JobId parted() {
        assertThat(outcomeOfAdd(zero, request("a", at(4)))).isEqualTo("ADDED");
        world.cluster().isolate(2);
        for (int earlier : List.of(3, 2)) {
            assertThat(outcomeOfAdd(two, request("a", at(earlier)))).isEqualTo("UnconfirmedException");
        }
        return request("a", at(4)).id();
    }

    private static Instant at(int day) {
        return Instant.parse("2001-01-01T00:00:00Z").plus(Duration.ofDays(day));
    }

    /** Model: CANCEL_APART. */
    @Test
    void a_cancellation_is_not_told_beside_an_owner_with_a_smaller_fence() {
        JobId id = insert("a");
        LeasedJob first = accept(zero, "first").orElseThrow();
        world.play(zero, () -> first.finish("done"));
        world.time().pass(Duration.ofSeconds(1));
        world.cluster().isolate(2);
        write(two, Transitions.add(read(two, id), request("a", Instant.EPOCH), true, now(two)));
        write(two, Transitions.cancel(read(two, id), null, now(two)));
        write(two, Transitions.add(read(two, id), request("a", Instant.EPOCH), true, now(two)));
        assertThat(outcomeOfAdd(zero, request("a", Instant.EPOCH))).isEqualTo("ADDED");
        assertThat(accept(zero, "owner")).isPresent();
        world.cluster().heal(2);
        world.time().pass(Duration.ofSeconds(1));
        String told = outcomeOfCancel(zero, id);
        assertThat(told).startsWith("Contention");
    }

    @Test
    void a_job_that_this_node_does_not_have_yet_is_claimed_later_and_not_said_to_be_missing() {
        world.cluster().isolate(2);
        JobId id = insert("a");
        Finder finder = new Finder(two.parts(), "by hand");
        Supplier<String> claim = () -> finder.claim(id, any -> true).isPresent() ? "claimed" : "not now";
        assertThat(played(two, claim)).isEqualTo("UnconfirmedException");
        heal();
        assertThat(played(two, claim)).isEqualTo("claimed");
    }

    @Test
    void a_job_that_is_put_back_on_a_tombstone_at_a_node_that_is_cut_off_is_not_acknowledged() {
        JobId id = insert("a");
        Job copy = read(zero, id);
        remove(zero, id);
        world.time().pass(Duration.ofSeconds(1));
        world.cluster().isolate(2);
        assertThat(outcomeOfAdd(zero, request("a", Instant.EPOCH))).isEqualTo("ADDED");
        Restorer restorer = new Restorer(two.parts().store(), two.parts().clock());
        assertThat(played(
                        two,
                        () -> restorer.restore(List.of(copy)).get(0).outcome().name()))
                .isEqualTo("REJECTED");
    }

    @Test
    void an_array_is_not_acknowledged_when_only_the_node_that_is_cut_off_has_one_of_its_chunks() {
        JobRequest template = request("list", Instant.EPOCH);
        assertThat(outcomeOfArray(zero, template)).isEqualTo("3 added");
        world.time().pass(Duration.ofSeconds(1));
        remove(zero, ArrayCreator.chunkId(template.id(), 1));
        world.time().pass(Duration.ofSeconds(1));
        world.cluster().isolate(2);
        assertThat(outcomeOfArray(two, template)).isEqualTo("UnconfirmedException");
    }

    /** Readers see the job, but neither a conflict nor the tombstone. */
    @Test
    void a_change_beside_a_removal_finds_the_job_gone() {
        JobId id = insert("a");
        world.cluster().isolate(2);
        write(two, Transitions.prioritize(read(two, id), 5, now(two))); // 202
        remove(zero, id);
        heal();
        assertThat(outcomeOfPriority(zero, id)).isEqualTo("NotFoundException");
    }

    @Test
    void a_cancellation_at_a_node_that_was_cut_off_does_not_reach_a_job_that_was_removed_and_added_anew() {
        JobId id = insert("a");
        world.cluster().isolate(2);
        assertThat(outcomeOfCancel(two, id)).isEqualTo("unconfirmed");
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        world.play(zero, () -> claim.finish("done"));
        delete(zero, id);
        assertThat(outcomeOfAdd(zero, request("a", Instant.EPOCH))).isEqualTo("ADDED");
        heal();
        resolve(id, one, zero, two);
        assertThat(read(zero, id).status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_cancellation_at_a_node_that_is_cut_off_is_not_told_an_end_that_no_majority_has() {
        JobId id = insert("a");
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        world.cluster().isolate(2);
        write(two, Transitions.finish(claim.job(), null, null, now(two))); // 202
        write(zero, Transitions.expire(claim.job(), OptionalInt.empty(), now(zero))); // 201
        LeasedJob next = accept(zero, "next").orElseThrow();
        String told = outcomeOfCancel(two, id);
        heal();
        assertThat(told).as("beside the run with fence " + next.fence()).isEqualTo("unconfirmed");
    }

    /** One lost answer on a healthy cluster: the same request is added again after its job has ended. */
    @Test
    void a_request_that_is_added_again_after_its_job_has_ended_is_run_though_the_answer_was_lost() {
        JobRequest request = JobRequest.builder(World.TYPE)
                .data(Map.of())
                .scheduledTime(Instant.EPOCH)
                .build();
        assertThat(outcomeOfAdd(zero, request)).isEqualTo("ADDED");
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        world.play(zero, () -> claim.finish("done"));
        world.time().pass(Duration.ofSeconds(10));
        loseNextAnswer();
        String told = outcomeOfAdd(zero, request);
        heal();
        assertThat(read(one, request.id()).status()).as("told " + told).isEqualTo(JobStatus.WAITING);
    }

    /** Its client switches to another node, as a balancer may have it do. */
    @Test
    void an_owner_that_halted_once_halts_ever_after() {
        insert("a");
        HandClaims hands = new HandClaims(zero.parts(), "owner", true);
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        world.play(zero, () -> {
            hands.begin(List.of(World.TYPE));
            hands.hold(List.of(claim));
            return claim;
        });
        world.cluster().isolate(0);
        AtomicReference<String> first = new AtomicReference<>();
        zero.process().play("by hand", () -> first.set(outcome(claim::update)));
        world.time().pass(Duration.ofSeconds(8));
        zero.door().redirect(1);
        assertThat(first).hasValue("halt");
        assertThat(world.play(zero, () -> outcome(claim::update))).isEqualTo("halt");
        assertThat(world.play(zero, () -> outcome(() -> claim.finish("done")))).isEqualTo("halt");
    }

    @Test
    void a_worker_that_starts_at_a_node_that_is_cut_off_takes_back_no_job_that_its_former_process_has_ended() {
        JobId id = insert("a");
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        world.time().pass(Duration.ofSeconds(1));
        world.cluster().isolate(2);
        world.play(zero, () -> claim.finish("done"));
        restart(two, "owner");
        Job shown = read(two, id);
        heal();
        assertThat(shown.isLockedBy(claim.token())).as("no expiry was written").isTrue();
        assertThat(read(two, id).status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void a_worker_that_reaches_a_majority_takes_back_at_once_what_its_former_process_has_left() {
        JobId id = insert("a");
        assertThat(accept(zero, "owner")).isPresent();
        world.time().pass(Duration.ofSeconds(1));
        world.cluster().isolate(0);
        restart(two, "owner");
        assertThat(read(two, id).status()).isEqualTo(JobStatus.WAITING);
    }

    private void restart(Client client, String worker) {
        SimulatedWorker next = new SimulatedWorker(client.parts(), worker, World.TYPE, any -> false, any -> false);
        world.play(client, () -> {
            client.parts().index().owned(); // chooses the design documents, for which others would wait in real time
            next.recoverOwn();
            return next;
        });
    }

    private void loseNextAnswer() {
        AtomicBoolean lost = new AtomicBoolean();
        world.watchers().add(new Watcher() {
            @Override
            public void answered(Exchange exchange, Answer answer) {
                if (exchange.process() == zero.process()
                        && !exchange.sent().isEmpty()
                        && lost.compareAndSet(false, true)) {
                    throw new UncheckedIOException(new IOException("lost"));
                }
            }
        });
    }

    private String outcomeOfCancel(Client client, JobId id) {
        return world.play(client, () -> {
            try {
                return new Creator(client.parts().store(), client.parts().clock())
                        .cancel(id, CancelMode.REQUEST, null)
                        .name();
            } catch (UnconfirmedException cutOff) {
                return "unconfirmed";
            } catch (ContentionException open) {
                return open.getClass().getSimpleName();
            }
        });
    }

    private String outcomeOfAdd(Client client, JobRequest request) {
        return world.play(client, () -> outcomeOf(client, request));
    }

    private static String outcomeOfAddIfNew(Client client, JobRequest request) {
        return new Creator(client.parts().store(), client.parts().clock())
                .addIfNew(request)
                .outcome()
                .name();
    }

    private static String outcomeOf(Client client, JobRequest request) {
        try {
            AddResult added = new Creator(client.parts().store(), client.parts().clock()).addOne(request);
            return added.outcome().name();
        } catch (RuntimeException refused) {
            return refused.getClass().getSimpleName();
        }
    }

    private void remove(Client client, JobId id) {
        Creator creator = new Creator(client.parts().store(), client.parts().clock());
        world.play(client, () -> {
            creator.remove(id);
            return "removed";
        });
    }

    private String outcomeOfArray(Client client, JobRequest template) {
        JobStore store = client.parts().store();
        InstantSource clock = client.parts().clock();
        ArrayCreator arrays = new ArrayCreator(store, new Creator(store, clock), clock);
        return played(
                client,
                () -> arrays.add(
                                template,
                                List.of(Map.of("n", 1), Map.of("n", 2), Map.of("n", 3))
                                        .iterator(),
                                3) + " added");
    }

    private String outcomeOfPriority(Client client, JobId id) {
        Creator creator = new Creator(client.parts().store(), client.parts().clock());
        return played(
                client, () -> creator.change(id, "cannot be changed", (job, now) -> Transitions.prioritize(job, 9, now))
                        .status()
                        .json());
    }

    private String played(Client client, Supplier<String> work) {
        return world.play(client, () -> {
            try {
                return work.get();
            } catch (CouchJobsException refused) {
                return refused.getClass().getSimpleName();
            }
        });
    }

    private void resolve(JobId id, Client... clients) {
        for (Client client : clients) {
            world.play(client, () -> client.conflicts().resolve(id.docId()));
        }
    }
}
