package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.schedule.QueueSchedules;
import io.couchjobs.engine.schedule.Scheduler;
import io.couchjobs.engine.store.FinishedJob;
import io.couchjobs.engine.store.MajorityReadings;
import io.couchjobs.engine.worker.SimulatedWorker;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Subscription;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Sequences that broke a promise once, played by the queue's own classes on a simulated cluster of three nodes. Each process knows one
 * node, the one with its number.
 */
class ClusterSequencesTest {
    private final List<World> worlds = new ArrayList<>();
    private World world = open(Plan.PLAYED);
    private Client zero = world.client("zero", 0);
    private Client one = world.client("one", 1);
    private Client two = world.client("two", 2);

    private World open(Plan plan) {
        World opened = new World(plan, 1);
        worlds.add(opened);
        return opened;
    }

    private void playOn(Plan plan) {
        world = open(plan);
        zero = world.client("zero", 0);
        one = world.client("one", 1);
        two = world.client("two", 2);
    }

    @AfterEach
    void close() {
        worlds.forEach(World::close);
    }

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
    void what_a_copy_has_forgotten_of_a_run_is_not_run_after_retention_has_deleted_the_job() {
        JobId id = insert("a");
        Job owned = write(zero, claim(zero, read(zero, id), "owner"));
        world.cluster().isolate(2);
        Job ended = write(zero, Transitions.finish(owned, null, null, now(zero)));
        write(two, Transitions.expire(owned, OptionalInt.empty(), now(two)));
        world.play(zero, () -> zero.parts().store().retire(List.of(row(ended))));
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
            worker.keep(claim, two.parts().settings().timeoutOf(World.TYPE), () -> halted.set(true));
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

    private AddResult add(Client client, String id) {
        Creator creator = new Creator(client.parts().store(), client.parts().clock());
        AtomicReference<RuntimeException> trouble = new AtomicReference<>();
        Optional<AddResult> added = world.play(client, () -> {
            try {
                return Optional.of(creator.addOne(request(id, Instant.EPOCH)));
            } catch (CouchJobsException refused) {
                trouble.set(refused);
                return Optional.empty();
            }
        });
        return added.orElseThrow(trouble::get);
    }

    private static String outcome(Supplier<Job> write) {
        try {
            return write.get().status().json();
        } catch (HaltException halt) {
            return "halt";
        }
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

    @Test
    void who_waits_at_a_node_that_is_cut_off_is_not_told_an_end_that_only_this_node_has() {
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
    void who_has_seen_a_job_that_only_a_minority_has_is_not_told_that_it_is_gone() throws Exception {
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
    void who_has_seen_the_removal_of_a_job_that_only_a_minority_has_is_told_that_it_is_gone() {
        world.cluster().isolate(2);
        JobId id = insert(two, "a");
        Subscription subscription = follow(two, id);
        String rev = read(two, id).rev().orElseThrow();
        world.play(two, () -> two.database()
                .put(JsonNodeFactory.instance
                        .objectNode()
                        .put("_id", id.docId())
                        .put("_rev", rev)
                        .put("_deleted", true)));
        world.time().pass(Duration.ofSeconds(10));
        assertThat(events(subscription)).as("no majority is in reach").isEmpty();

        two.door().redirect(0);
        world.time().pass(Duration.ofSeconds(10));
        assertThat(events(subscription)).singleElement().satisfies(event -> assertThat(event.phase())
                .isEqualTo(JobPhase.NOT_FOUND));
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

    private static Instant now(Client client) {
        return client.parts().clock().instant();
    }

    private static JobRequest request(String id, Instant due) {
        return JobRequest.builder(World.TYPE)
                .id(id)
                .data(Map.of())
                .scheduledTime(due)
                .build();
    }

    private JobId insert(String id) {
        return insert(zero, id);
    }

    private JobId insert(Client client, String id) {
        JobRequest request = request(id, Instant.EPOCH);
        world.play(
                client, () -> new Creator(client.parts().store(), client.parts().clock()).insert(request));
        world.time().pass(Duration.ofMillis(100));
        return request.id();
    }

    private Job read(Client client, JobId id) {
        return world.play(client, () -> client.parts().store().read(id)).orElseThrow();
    }

    private static Decision claim(Client client, Job job, String worker) {
        return Transitions.claim(job, "token of " + worker, worker, true, now(client));
    }

    /** Writes a job, confirmed or not. */
    private Job write(Client client, Decision decision) {
        Job job = decision.write().orElseThrow();
        WriteResult written = world.play(client, () -> client.parts().store().write(job));
        if (written instanceof WriteResult.Stored stored) {
            return job.withRev(stored.rev());
        }
        return job.withRev(((WriteResult.Accepted) written).rev());
    }

    /** Ends all cuts, and lets the copies tell each other what they have. */
    private void heal() {
        for (int node = 0; node < 3; node++) {
            world.cluster().heal(node);
        }
        world.time().pass(Duration.ofSeconds(10));
    }

    private void resolve(JobId id, Client... clients) {
        for (Client client : clients) {
            world.play(client, () -> client.conflicts().resolve(id.docId()));
        }
    }

    private Optional<LeasedJob> accept(Client client, String worker) {
        Finder finder = new Finder(client.parts(), worker);
        return world.play(client, () -> {
            client.parts().index().owned(); // chooses the design documents, for which others would wait in real time
            return accept(finder);
        });
    }

    private static Optional<LeasedJob> accept(Finder finder) {
        try {
            return finder.accept(AcceptOptions.of(World.TYPE).max(1).timeout(Duration.ZERO)).stream()
                    .findFirst();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static FinishedJob row(Job job) {
        return new FinishedJob(
                job.id().docId(),
                job.rev().orElseThrow(),
                job.status(),
                OptionalLong.of(job.fence()),
                NullNode.getInstance());
    }
}
