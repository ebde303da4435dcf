package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.store.MajorityReadings;
import io.couchjobs.engine.watch.Watch;
import io.couchjobs.engine.worker.SimulatedWorker;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import io.couchjobs.job.Subscription;
import io.couchjobs.job.UnconfirmedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Sequences after which somebody was told what did not stand. */
class ToldEndsSequencesTest extends PlayedCluster {
    @Test
    void a_follower_at_a_node_that_is_cut_off_is_not_told_an_end_that_only_this_node_has() {
        JobId id = insert("a");
        LeasedJob claim = accept(two, "owner").orElseThrow();
        Subscription subscription = follow(two, id);
        world.cluster().isolate(2);
        AtomicReference<String> outcome = new AtomicReference<>("waits");
        two.process().play("owner", () -> outcome.set(outcome(() -> claim.finish("late"))));
        world.time().pass(Duration.ofSeconds(30));

        assertThat(outcome.get()).isEqualTo("halt");
        assertThat(events(subscription)).noneMatch(event -> event.phase() == JobPhase.FINISHED);
    }

    @Test
    void a_follower_that_has_seen_a_job_that_only_a_minority_has_is_not_told_that_it_is_gone() throws Exception {
        world.cluster().isolate(2);
        JobId id = insert(two, "a");
        Subscription subscription = follow(two, id);
        two.door().redirect(0);
        two.door().cutFeed();
        world.time().pass(Duration.ofSeconds(10));
        assertThat(events(subscription)).isEmpty();

        heal();
        LeasedJob claim = accept(one, "worker").orElseThrow();
        world.play(one, () -> claim.finish("done"));
        world.time().pass(Duration.ofSeconds(10));
        assertThat(events(subscription)).last().satisfies(event -> assertThat(event.phase())
                .isEqualTo(JobPhase.FINISHED));
    }

    @Test
    void a_follower_that_has_seen_the_removal_of_a_job_that_only_a_minority_has_is_told_that_it_is_gone() {
        world.cluster().isolate(2);
        JobId id = insert(two, "a");
        Subscription subscription = follow(two, id);
        delete(two, id);
        world.time().pass(Duration.ofSeconds(10));
        assertThat(events(subscription)).as("no majority is in reach").isEmpty();

        two.door().redirect(0);
        world.time().pass(Duration.ofSeconds(10));
        assertThat(events(subscription)).singleElement().satisfies(event -> assertThat(event.phase())
                .isEqualTo(JobPhase.NOT_FOUND));
    }

    /** The feed has told the end, which only its own copy has, before somebody asks two copies that do not have it yet. */
    @Test
    void a_subscriber_after_the_feed_told_an_unconfirmed_end_is_told_of_it_when_the_others_have_it() {
        JobId id = insert("a");
        Job owned = write(zero, claim(zero, read(zero, id), "owner"));
        world.play(two, () -> two.parts().feed().listen(event -> {}));
        world.time().pass(Duration.ofSeconds(2));
        world.cluster().isolate(2);
        write(two, Transitions.finish(owned, TextNode.valueOf("done"), null, now(two)));
        world.time().pass(Duration.ofSeconds(2));
        two.door().redirect(0);
        Subscription subscription = follow(two, id);
        assertThat(subscription.phase()).isEqualTo(JobPhase.RUNNING);

        heal();

        world.time().pass(Duration.ofSeconds(20));
        assertThat(events(subscription)).last().satisfies(event -> assertThat(event.phase())
                .isEqualTo(JobPhase.FINISHED));
    }

    /** While the listener is busy with the end, the only copy in reach shows an older state, and then nothing. */
    @Test
    void a_listener_is_told_the_removal_that_one_copy_shows_only_when_a_majority_has_it() throws Exception {
        JobId id = insert("a");
        List<JobPhase> told = new ArrayList<>();
        world.play(two, () -> listen(two, told));
        world.cluster().isolate(0);
        LeasedJob claim = accept(two, "owner").orElseThrow();
        world.play(two, () -> claim.finish("done"));
        world.time().pass(Duration.ofSeconds(2));
        two.door().redirect(0);
        two.door().cutFeed();
        world.time().pass(Duration.ofSeconds(2));
        write(zero, claim(zero, read(zero, id), "other"));
        world.time().pass(Duration.ofSeconds(2));
        delete(zero, id);
        world.time().pass(Duration.ofSeconds(30));

        assertThat(told).containsExactly(JobPhase.RUNNING, JobPhase.FINISHED);

        heal();
        assertThat(told).containsExactly(JobPhase.RUNNING, JobPhase.FINISHED, JobPhase.NOT_FOUND);
    }

    private static Listening listen(Client client, List<JobPhase> told) {
        Watch watch = new Watch(client.parts().feed(), client.parts().store());
        return watch.follow(
                JobFilter.all(),
                change -> {
                    told.add(change.phase());
                    if (change.phase() == JobPhase.FINISHED) {
                        client.process().pause(Duration.ofSeconds(20));
                    }
                },
                () -> {});
    }

    private Subscription follow(Client client, JobId id) {
        return world.play(client, () -> {
            client.parts().feed().listen(event -> {});
            return client.subscriptions().subscribe(id, this);
        });
    }

    private static List<JobChange> events(Subscription subscription) {
        List<JobChange> events = new ArrayList<>();
        try {
            for (Optional<JobChange> next = subscription.await(Duration.ZERO);
                    next.isPresent();
                    next = subscription.await(Duration.ZERO)) {
                events.add(next.get());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return events;
    }

    @Test
    void an_end_that_no_majority_has_is_not_told_when_two_copies_that_disagree_are_all_that_answer() {
        JobId id = jobWithTwoEnds();
        assertThat(endsOf(two, id)).isEmpty();
        heal();
        assertThat(endsOf(two, id)).containsExactly(JobStatus.SUCCESS);
    }

    @Test
    void an_end_that_no_majority_has_lets_no_job_go_when_two_copies_that_disagree_are_all_that_answer() {
        JobId id = jobWithTwoEnds();
        assertThat(world.play(
                        two, () -> SimulatedWorker.takesForOver(two.parts().store(), id)))
                .isFalse();
        heal();
        assertThat(world.play(
                        two, () -> SimulatedWorker.takesForOver(two.parts().store(), id)))
                .isTrue();
    }

    /** A repeated write may be confirmed beside the claim of another owner: its own process, too, has to read the end. */
    @Test
    void the_answer_to_an_end_is_a_proof_for_subscribers_only_when_it_was_no_202_at_first() {
        playOn(Plan.PLAYED_SLOWLY);
        JobId plain = insert("a");
        LeasedJob first = accept(two, "owner").orElseThrow();
        world.play(two, () -> first.finish("done"));
        assertThat(two.parts().store().writer().isDoubtful(plain.docId(), revOf(plain)))
                .isFalse();

        JobId disputed = insert("b");
        LeasedJob second = accept(two, "owner").orElseThrow();
        world.cluster().isolate(2);
        AtomicReference<String> outcome = new AtomicReference<>("waits");
        two.process().play("owner", () -> outcome.set(outcome(() -> second.finish("done"))));
        world.time().pass(Duration.ofSeconds(6));
        assertThat(outcome.get()).isEqualTo("waits");
        world.cluster().heal(2);
        world.time().pass(Duration.ofSeconds(20));
        assertThat(outcome.get()).isEqualTo("success");
        assertThat(two.parts().store().writer().isDoubtful(disputed.docId(), revOf(disputed)))
                .isTrue();
    }

    /** The failure was stored by one copy, which was cut off; it counts more than a cancellation of the same run. */
    @Test
    void the_end_of_an_owner_whose_failure_was_refused_beside_a_request_to_cancel_stands() {
        playOn(Plan.PLAYED_SLOWLY);
        JobId id = insert("a");
        LeasedJob claim = accept(two, "owner").orElseThrow();
        world.cluster().isolate(2);
        AtomicReference<String> outcome = new AtomicReference<>("waits");
        two.process()
                .play(
                        "owner",
                        () -> outcome.set(outcome(() -> claim.fail(JobError.Kind.FAILED, "on purpose", null, true))));
        assertThat(world.play(zero, () -> isCancelConfirmed(zero, id))).isTrue();
        two.door().redirect(0);
        world.time().pass(Duration.ofSeconds(20));

        heal();
        world.play(one, () -> one.conflicts().resolve(id.docId()));
        assertThat(read(one, id).status().json()).isEqualTo(outcome.get()).isEqualTo("failed");
    }

    private String revOf(JobId id) {
        return read(two, id).rev().orElseThrow();
    }

    @Test
    void an_end_of_one_copy_is_told_only_after_another_copy_has_it() {
        playOn(Plan.PLAYED_LAGGING);
        JobId id = insert("a");
        Job owned = write(zero, claim(zero, read(zero, id), "owner"));
        world.time().pass(Duration.ofSeconds(2));
        world.cluster().isolate(2);
        for (int i = 0; i < 60; i++) {
            insert(two, "later" + i);
        }
        write(two, Transitions.finish(owned, TextNode.valueOf("done"), null, now(two)));
        world.cluster().heal(2);
        world.cluster().isolate(0);
        assertThat(endsOf(two, id)).containsExactly(JobStatus.SUCCESS);
        world.cluster().isolate(1);
        assertThat(read(one, id).status()).isEqualTo(JobStatus.SUCCESS);
    }

    /** A majority has its success, node 2 a cancel that nobody confirmed. Now node 0 is cut off, and the copies are slow to exchange. */
    private JobId jobWithTwoEnds() {
        playOn(Plan.PLAYED_LAGGING);
        JobId id = insert("a");
        world.time().pass(Duration.ofSeconds(2));
        world.cluster().isolate(2);
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        for (int i = 0; i < 20; i++) {
            insert("later" + i);
        }
        world.play(zero, () -> claim.finish("done"));
        assertThat(world.play(two, () -> isCancelConfirmed(two, id))).isFalse();
        world.cluster().heal(2);
        world.cluster().isolate(0);
        return id;
    }

    private List<JobStatus> endsOf(Client client, JobId id) {
        return world.play(client, () -> MajorityReadings.ends(client.database(), client.conflicts(), id));
    }

    private static boolean isCancelConfirmed(Client client, JobId id) {
        try {
            new Creator(client.parts().store(), client.parts().clock()).cancel(id, CancelMode.REQUEST, null);
            return true;
        } catch (UnconfirmedException minority) {
            return false;
        }
    }
}
