package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.schedule.QueueSchedules;
import io.couchjobs.engine.schedule.Scheduler;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.engine.worker.SimulatedWorker;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.testing.Stores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Sequences that broke a promise once, played by the queue's own classes on a simulated cluster of three nodes. Each process knows one
 * node, the one with its number.
 */
class ClusterSequencesTest extends PlayedCluster {
    @Test
    void a_job_whose_two_claims_were_withdrawn_on_both_sides_of_a_cut_is_still_run() {
        JobId id = insert("a");
        Job job = read(zero, id);
        world.cluster().isolate(2);
        Job first = write(zero, claim(zero, job, "first"));
        Job second = write(two, claim(two, job, "second"));
        heal();
        world.cluster().isolate(2);
        write(zero, ClusterTransitions.withdraw(first, "the job has another leaf", now(zero)));
        write(two, ClusterTransitions.withdraw(second, "no quorum confirmed the claim", now(two)));
        resolve(id, zero, two);
        heal();
        resolve(id, one);

        // One of the withdrawals has lost to the other claim, so that its own claim counts as owned until its lease is
        // over.
        write(one, Transitions.expire(read(one, id), OptionalInt.empty(), now(one)));
        assertThat(accept(one, "worker")).isPresent();
    }

    @Test
    void an_end_that_was_confirmed_stands_though_another_claim_came_and_went() {
        JobId id = insert("a");
        Job owned = write(zero, claim(zero, read(zero, id), "owner"));
        world.cluster().isolate(2);
        write(zero, Transitions.finish(owned, TextNode.valueOf("done"), null, now(zero)));
        Job expired = write(two, Transitions.expire(owned, OptionalInt.empty(), now(two)));
        heal();
        Job late = write(one, claim(one, expired, "late"));
        resolve(id, two);
        world.play(one, () -> one.parts()
                .store()
                .writer()
                .write(ClusterTransitions.withdraw(late, "the job has another leaf", now(one))
                        .write()
                        .orElseThrow()));
        resolve(id, one, zero);
        heal();

        assertThat(read(zero, id).status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(accept(two, "worker")).isEmpty();
    }

    @Test
    void a_job_that_is_added_again_while_its_end_is_written_runs_once_more() {
        JobId id = insert("a");
        LeasedJob claim = accept(one, "owner").orElseThrow();
        world.cluster().mute(0, 2);
        JobRequest again = request("a", now(zero));
        AddResult added = world.play(
                zero, () -> new Creator(zero.parts().store(), zero.parts().clock())
                        .add(List.of(again), false)
                        .get(0));
        assertThat(added.outcome()).isEqualTo(AddResult.Outcome.RESUBMITTED);
        world.watchers().add(new Watcher() {
            @Override
            public void answered(Exchange exchange, Answer answer) {
                if (exchange.does(Sent.What.END) && answer.isUnconfirmed()) {
                    world.cluster().mute(2, 1);
                }
            }
        });
        world.play(one, () -> claim.finish("first"));
        heal();
        resolve(id, one, zero, two);
        heal();

        assertThat(read(zero, id).phase()).isNotEqualTo(JobPhase.FINISHED);
    }

    @Test
    void a_run_that_a_copy_has_forgotten_is_not_run_again_after_retention_has_deleted_the_job() {
        JobId id = insert("a");
        Job owned = write(zero, claim(zero, read(zero, id), "owner"));
        world.cluster().isolate(2);
        Job ended = write(zero, Transitions.finish(owned, null, null, now(zero)));
        write(two, Transitions.expire(owned, OptionalInt.empty(), now(two)));
        world.play(zero, () -> zero.parts().store().retire(List.of(Stores.row(ended))));
        heal();

        assertThat(accept(one, "worker")).isEmpty();
    }

    @Test
    void an_end_that_is_confirmed_too_late_is_not_reported_beside_a_later_claim() {
        assertHaltedWhenLate(Sent.What.END, claim -> claim.finish("late"));
    }

    @Test
    void an_update_that_is_confirmed_too_late_keeps_no_job_that_has_a_later_owner() {
        assertHaltedWhenLate(Sent.What.OWNED, LeasedJob::update);
    }

    /** The answer comes when the lease is over and another worker has claimed the job. */
    private void assertHaltedWhenLate(Sent.What what, Function<LeasedJob, Job> write) {
        playOn(Plan.PLAYED_SLOWLY);
        JobId id = insert("a");
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        world.cluster().isolate(2);
        Job expired = write(two, Transitions.expire(claim.job(), OptionalInt.empty(), now(two)));
        world.watchers().add(new Watcher() {
            @Override
            public void answered(Exchange exchange, Answer answer) {
                if (exchange.does(what)) {
                    exchange.process().pause(Duration.ofSeconds(61));
                }
            }
        });
        AtomicReference<String> outcome = new AtomicReference<>("waits");
        zero.process().play("owner", () -> outcome.set(outcome(() -> write.apply(claim))));
        world.time().pass(Duration.ofSeconds(1));
        heal();
        write(two, claim(two, expired, "later"));
        world.time().pass(Duration.ofSeconds(61));

        assertThat(outcome.get()).as("what the owner of %s is told", id).isEqualTo("halt");
    }

    @Test
    void a_lease_that_was_given_up_does_not_come_back_with_the_next_renewal() {
        JobId id = insert("a");
        SimulatedWorker worker = new SimulatedWorker(two.parts(), "owner", World.TYPE, any -> false, any -> false);
        LeasedJob claim = accept(two, "owner").orElseThrow();
        AtomicBoolean halted = new AtomicBoolean();
        world.play(two, () -> {
            worker.register();
            worker.keep(claim, () -> halted.set(true));
            return id;
        });
        world.time().pass(Duration.ofMinutes(2));
        assertThat(halted).as("renewed until then").isFalse();

        world.cluster().isolate(2);
        world.time().pass(Duration.ofMinutes(2));
        assertThat(halted).isTrue();
        heal();
        world.time().pass(Duration.ofMinutes(2));
        assertThat(world.play(two, claim::isLeaseOver)).isTrue();
    }

    @Test
    void a_creator_does_not_rely_on_an_owner_whom_the_others_have_left_behind() {
        JobId id = insert("a");
        world.cluster().isolate(2);
        Job job = read(two, id);
        write(two, claim(two, job, "left behind"));
        runTwice(job);
        healWhenChanged(Sent.What.OWNED);

        assertThat(add(two, "a").outcome()).isEqualTo(AddResult.Outcome.ADDED);
        assertThat(read(zero, id).status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_creator_does_not_rely_on_an_end_that_the_others_have_left_behind() {
        JobId id = insert("a");
        Job owned = write(zero, claim(zero, read(zero, id), "first"));
        world.time().pass(Duration.ofSeconds(1));
        world.cluster().isolate(2);
        write(two, Transitions.finish(owned, TextNode.valueOf("unconfirmed"), null, now(two)));
        runTwice(write(zero, Transitions.expire(owned, OptionalInt.empty(), now(zero))));
        healWhenChanged(Sent.What.OTHER);

        assertThat(add(two, "a").outcome()).isEqualTo(AddResult.Outcome.ADDED);
        resolve(id, one, zero);
        resolve(id, one, zero);
        assertThat(read(zero, id).status()).isEqualTo(JobStatus.WAITING);
    }

    /** At the nodes that are left: the job runs, is added again and runs once more. */
    private void runTwice(Job job) {
        Job done = write(zero, Transitions.finish(write(zero, claim(zero, job, "next")), null, null, now(zero)));
        Job again = write(zero, Transitions.add(done, request("a", Instant.EPOCH), false, now(zero)));
        write(zero, Transitions.finish(write(zero, claim(zero, again, "last")), null, null, now(zero)));
    }

    /** The cut ends when such a write on a job that exists is on its way. */
    private void healWhenChanged(Sent.What what) {
        world.watchers().add(new Watcher() {
            @Override
            public void sending(Exchange exchange) {
                boolean isChange = Sent.in(exchange.request()).stream()
                        .anyMatch(sent -> sent.what() == what && !sent.base().isEmpty());
                if (isChange) {
                    world.cluster().heal(2);
                    exchange.process().pause(Duration.ofSeconds(10));
                }
            }
        });
    }

    @Test
    void a_creator_asks_nothing_of_a_withdrawn_claim_that_cannot_be_resolved_now() {
        JobId id = insert("a");
        world.cluster().isolate(2);
        Job claim = write(two, claim(two, read(two, id), "worker"));
        write(two, ClusterTransitions.withdraw(claim, "no quorum confirmed the claim", now(two)));

        assertThatThrownBy(() -> add(two, "a")).isInstanceOf(ContentionException.class);
        assertThat(read(two, id).isResubmitted()).isFalse();
    }

    @Test
    void a_claim_whose_answer_is_late_is_not_withdrawn_by_its_own_process() {
        playOn(Plan.PLAYED_SLOWLY);
        JobId id = insert("5a0e8d3c-1d3b-4f7e-9c55-0a1b2c3d4e5f");
        Job job = read(two, id);
        Set<String> held = new HashSet<>();
        SimulatedWorker worker =
                new SimulatedWorker(zero.parts(), "owner", World.TYPE, any -> !held.isEmpty(), held::contains);
        world.play(zero, () -> {
            zero.parts().index().owned();
            worker.start();
            return worker.beat(0);
        });
        world.watchers().add(new Watcher() {
            @Override
            public void answered(Exchange exchange, Answer answer) {
                if (exchange.process() == zero.process() && exchange.does(Sent.What.OWNED)) {
                    exchange.process().pause(Duration.ofSeconds(45));
                }
            }
        });
        world.cluster().isolate(2);
        AtomicReference<String> outcome = new AtomicReference<>("waits");
        Finder finder = new Finder(zero.parts(), "owner");
        zero.process().play("worker", () -> {
            Optional<LeasedJob> claim = accept(finder);
            claim.ifPresent(won -> held.add(won.token()));
            outcome.set(claim.map(ClusterSequencesTest::owns).orElse("not claimed"));
        });
        write(two, claim(two, job, "other"));
        heal();
        world.time().pass(Duration.ofSeconds(60));

        assertThat(outcome.get()).isIn("owned", "not claimed");
    }

    /**
     * Model: STORED_LATE. The last copy stores the first claim when the second one has been read beside the revision that both go back
     * to. Documents before it keep the job from the other copies for a while.
     */
    @Test
    void a_claim_that_a_copy_stores_late_does_not_take_a_claim_of_a_later_revision_for_its_sibling() {
        playOn(Plan.PLAYED_LAGGING);
        JobId id = insert("a");
        world.cluster().isolate(2);
        putOthers(one, 40);
        putOthers(two, 3);
        write(two, Transitions.prioritize(read(two, id), 9, now(two)));
        AtomicReference<Optional<LeasedJob>> first = acceptLater(one, "first");
        world.watchers().add(new Watcher() {
            @Override
            public void sending(Exchange exchange) {
                if (exchange.process() == one.process() && exchange.does(Sent.What.OWNED)) {
                    world.cluster().mute(1, 0);
                    world.time().after(50_000, () -> world.cluster().heal(2, 1));
                }
            }

            @Override
            public void answered(Exchange exchange, Answer answer) {
                if (exchange.process() == two.process() && exchange.does(Sent.What.OWNED)) {
                    world.cluster().heal(2, 0);
                    world.cluster().mute(1, 2);
                    world.time().after(20_000, () -> world.cluster().heal(1, 0));
                }
            }
        });
        world.time().pass(Duration.ofMillis(1500));
        Optional<LeasedJob> second = accept(two, "second");

        assertThat(second).isPresent();
        assertThat(first.get()).isEmpty();
    }

    /** The owner has no registration. Other documents come to the node that was cut off before what the owner has written. */
    @Test
    void a_resolver_that_was_cut_off_takes_no_claim_from_an_owner_who_has_renewed_it_meanwhile() {
        playOn(Plan.PLAYED_LAGGING);
        JobId id = insert("a");
        Job waits = read(two, id);
        world.cluster().isolate(2);
        write(two, claim(two, waits, "dead"));
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        zero.process().play("heart", () -> renewWhileOwned(claim));
        heal();
        world.cluster().isolate(2);
        two.conflicts().join(new Owner("watching", any -> false));
        putOthers(zero, 40);
        for (int look = 0; look < 4; look++) {
            resolve(id, two);
            world.time().pass(Duration.ofSeconds(4));
        }
        world.watchers().add(new Watcher() {
            @Override
            public void sending(Exchange exchange) {
                if (exchange.process() == two.process() && exchange.isAbout("/couchjobs-probe")) {
                    world.cluster().heal(2);
                }
            }
        });
        resolve(id, two);
        heal();

        assertThat(read(zero, id).isLockedBy(claim.token())).isTrue();
    }

    private void renewWhileOwned(LeasedJob claim) {
        try {
            while (true) {
                claim.update();
                zero.process().pause(Duration.ofSeconds(1));
            }
        } catch (HaltException halt) {
            // the job tells
        }
    }

    private void putOthers(Client client, int count) {
        for (int number = 0; number < count; number++) {
            ObjectNode other = JsonNodeFactory.instance.objectNode().put("_id", client.node() + "-" + number);
            world.play(client, () -> client.database().put(other));
        }
    }

    private AtomicReference<Optional<LeasedJob>> acceptLater(Client client, String worker) {
        AtomicReference<Optional<LeasedJob>> outcome = new AtomicReference<>(Optional.empty());
        Finder finder = new Finder(client.parts(), worker);
        world.play(client, () -> client.parts().index().owned());
        client.process().play("worker", () -> outcome.set(accept(finder)));
        return outcome;
    }

    private static String owns(LeasedJob claim) {
        try {
            claim.assertOwned();
            return "owned";
        } catch (HaltException halt) {
            return "halt";
        }
    }

    @Test
    void a_job_whose_removal_was_confirmed_does_not_come_back_from_the_node_that_began_it() {
        JobId id = insert("a");
        world.cluster().isolate(2);
        world.watchers().add(new Watcher() {
            @Override
            public void answered(Exchange exchange, Answer answer) {
                if (exchange.process() == two.process() && answer.isUnconfirmed()) {
                    two.door().redirect(0); // as a balancer between client and nodes may do
                }
            }
        });
        world.play(two, () -> {
            new Creator(two.parts().store(), two.parts().clock()).remove(id);
            return true;
        });
        heal();

        assertThat(world.play(one, () -> one.parts().store().read(id))).isEmpty();
    }

    @Test
    void a_monitor_that_is_cut_off_when_it_has_just_made_sure_takes_no_job_from_a_living_owner() {
        playOn(Plan.PLAYED_LAGGING);
        insert("a");
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        live(new SimulatedWorker(zero.parts(), "owner", World.TYPE, any -> true, any -> true), claim);
        SimulatedWorker watching = new SimulatedWorker(two.parts(), "watching", World.TYPE, any -> false, any -> false);
        world.play(two, () -> {
            two.parts().index().owned();
            watching.start();
            return watching.beat(0);
        });
        world.time().pass(Duration.ofSeconds(4));
        world.cluster().isolate(2);
        for (int i = 0; i < 150; i++) {
            insert("other-" + i);
        }
        world.time().pass(Duration.ofSeconds(20));
        world.watchers().add(new Watcher() {
            @Override
            public void answered(Exchange exchange, Answer answer) {
                if (exchange.process() == two.process()
                        && exchange.isAbout("/couchjobs-probe")
                        && answer.status() == 201) {
                    world.cluster().isolate(2);
                }
            }
        });
        world.cluster().heal(2);
        world.time().pass(Duration.ofSeconds(20));

        assertThat(world.journal().expiries()).isEmpty();
    }

    @Test
    void a_lease_counts_from_when_its_renewal_was_sent_first() {
        playOn(Plan.PLAYED_SLOWLY);
        insert("a");
        LeasedJob claim = accept(zero, "owner").orElseThrow();
        world.cluster().isolate(0);
        List<Long> renewals = new ArrayList<>();
        world.watchers().add(new Watcher() {
            @Override
            public void sending(Exchange exchange) {
                if (exchange.does(Sent.What.OWNED)) {
                    renewals.add(zero.process().nanos());
                }
            }

            @Override
            public void answered(Exchange exchange, Answer answer) {
                if (answer.isUnconfirmed()) {
                    zero.door().redirect(1); // as a balancer between client and nodes may do
                }
            }
        });
        world.play(zero, claim::update);

        assertThat(renewals).as("the same bytes, twice").hasSize(2);
        assertThat(claim.confirmedNanos()).isEqualTo(renewals.get(0));
    }

    /** Of five nodes two have no copy, and do not find a schedule while they are cut off. */
    @Test
    void a_schedule_that_a_node_did_not_find_when_it_was_to_tick_goes_on() {
        playOn(Plan.PLAYED.on(5));
        QueueSchedules schedules = new QueueSchedules(zero.parts(), request -> {});
        Instant start = now(zero);
        world.play(
                zero,
                () -> schedules.put(Schedule.named("often")
                        .every(Duration.ofSeconds(30))
                        .job(request("a", start))
                        .build()));
        Client far = clientWithoutCopyOf("schedule:often");
        world.play(far, () -> {
            new Scheduler(far.parts()).start();
            return start;
        });
        world.time().pass(Duration.ofSeconds(20));
        world.cluster().isolate(far.node());
        world.time().pass(Duration.ofSeconds(30));
        world.cluster().heal(far.node());
        world.time().pass(Duration.ofMinutes(2));
        assertThat(world.play(zero, () -> schedules.get("often"))
                        .flatMap(Schedule::last)
                        .orElseThrow())
                .isAfter(start.plusSeconds(90));
    }

    @Test
    void a_dead_owner_is_found_though_the_copy_of_the_index_was_behind_the_position_of_the_feed() {
        world.cluster().mute(0, 2);
        world.cluster().mute(1, 2);
        JobId id = insert("a");
        assertThat(accept(zero, "dead")).isPresent();
        Client watching = world.client("watching", 0);
        world.play(watching, () -> watching.parts().feed().listen(event -> {}));
        SimulatedWorker worker =
                new SimulatedWorker(watching.parts(), "watching", World.TYPE, any -> false, any -> false);
        world.play(watching, () -> {
            watching.parts().index().owned();
            watching.door().redirect(2);
            worker.start();
            return id;
        });
        world.time().pass(Duration.ofMillis(500));
        watching.door().redirect(0);
        heal();
        world.time().pass(Duration.ofSeconds(15));
        assertThat(read(one, id).status()).isEqualTo(JobStatus.WAITING);
    }

    private Client clientWithoutCopyOf(String docId) {
        for (int node = 0; true; node++) {
            Client client = world.client("far" + node, node);
            world.cluster().isolate(node);
            boolean finds =
                    world.play(client, () -> client.database().get(docId)).isPresent();
            world.cluster().heal(node);
            world.time().pass(Duration.ofSeconds(1));
            if (!finds) {
                return client;
            }
        }
    }

    /** Tells that it lives, every second. */
    private void live(SimulatedWorker worker, LeasedJob claim) {
        zero.process().play("heart", () -> {
            while (true) {
                long sent = zero.process().nanos();
                if (worker.beat(1)) {
                    claim.renewed(sent);
                }
                zero.process().pause(Duration.ofSeconds(1));
            }
        });
    }

    private void resolve(JobId id, Client... clients) {
        for (Client client : clients) {
            world.play(client, () -> client.conflicts().resolve(id.docId()));
        }
    }
}
