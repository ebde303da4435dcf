package io.couchjobs.simulation;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.embedded.cluster.Cluster;
import io.couchjobs.embedded.cluster.RandomDelays;
import io.couchjobs.embedded.cluster.Stage;
import io.couchjobs.embedded.cluster.VirtualTime;
import io.couchjobs.embedded.cluster.Wire;
import io.couchjobs.job.JobId;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * One life of a queue on a simulated cluster, from a seed: workers and creators, each a process of its own, and what
 * goes wrong. After a time nothing goes wrong any more, and the queue must become empty.
 */
final class World implements AutoCloseable {
    static final String TYPE = "t";

    private static final Duration PATIENCE = Duration.ofMinutes(20);
    private static final Duration LOOK = Duration.ofSeconds(5);
    /** How long at least everybody has to hear of an end after everything has come to rest. */
    private static final Duration HEARING = Duration.ofSeconds(20);

    private static final long TRICKLE = 150_000;
    private static final RandomDelays.Means DELAYS = new RandomDelays.Means(50, 270, 8, 5_000, 1_000_000);

    private final VirtualTime time = new VirtualTime();
    private final Stage stage = new Stage(time);
    private final Journal journal = new Journal(time);
    private final Random random;
    private final Plan plan;
    private final Cluster cluster;
    private final Wires wires;
    private final Remains remains;
    private final Checker checker;
    private final List<WorkerActor> workers = new ArrayList<>();
    private final List<SubscriberActor> subscribers = new ArrayList<>();
    private final List<CreatorActor> creators = new ArrayList<>();
    private final List<ScheduleActor> schedules = new ArrayList<>();
    private final List<TriggerActor> triggers = new ArrayList<>();
    private final Meetings meetings;
    private final List<Watcher> watchers = new ArrayList<>();
    private int processes;
    private boolean troubled = true;

    /** The ways of clients to nodes: first they lose what they carry now and then, later nothing. */
    static final class Wires {
        private final Wire lossy;
        private final Wire calm;
        private boolean areLossy;

        Wires(VirtualTime time, Cluster cluster, Plan plan, long seed) {
            boolean lose = plan.creators() > 0 && (plan.has(Plan.Freedom.FAULTS) || isSlow(plan));
            this.lossy = new Wire(time, cluster, trouble(plan), seed);
            this.calm = new Wire(time, cluster, new Wire.Trouble(0, 0, 300), seed + 1);
            this.areLossy = lose;
        }

        private static boolean isSlow(Plan plan) {
            return plan.has(Plan.Freedom.SLOW) || plan.has(Plan.Freedom.VERY_SLOW);
        }

        private static Wire.Trouble trouble(Plan plan) {
            if (plan.has(Plan.Freedom.VERY_SLOW)) {
                return new Wire.Trouble(0, 0.002, 300, 0.04, TimeUnit.SECONDS.toMicros(40));
            }
            return plan.has(Plan.Freedom.SLOW)
                    ? new Wire.Trouble(0.002, 0.005, 300, 0.02, TimeUnit.SECONDS.toMicros(3))
                    : new Wire.Trouble(0.005, 0.015, 300);
        }

        Wire lossy() {
            return lossy;
        }

        Wire calm() {
            return calm;
        }

        boolean areLossy() {
            return areLossy;
        }

        void calmDown() {
            areLossy = false;
        }
    }

    World(Plan plan, long seed) {
        this.plan = plan;
        this.random = new Random(seed);
        Cluster.Settings settings =
                new Cluster.Settings(plan.nodes(), plan.copies(), 1, Duration.ofSeconds(4), Duration.ofSeconds(4));
        long trickle = plan.has(Plan.Freedom.TRICKLE) ? TRICKLE : 0;
        this.cluster = new Cluster(time, new RandomDelays(random.nextLong(), DELAYS, trickle), settings);
        this.wires = new Wires(time, cluster, plan, random.nextLong());
        this.remains = new Remains(cluster, plan);
        this.checker = new Checker(journal, remains);
        this.meetings = new Meetings(this, seed);
        if (plan.has(Plan.Freedom.MEETINGS)) {
            watchers.add(meetings);
        }
        if (plan.has(Plan.Freedom.CUTS)) {
            watchers.add(new Cuts(this, seed));
        }
        if (plan.has(Plan.Freedom.VERY_SLOW) && plan.creators() > 0) {
            watchers.add(new LateClaims(this));
        }
        watchers.add(journal);
        String traced = System.getProperty("couchjobs.simulation.trace", "");
        if (!traced.isEmpty()) {
            watchers.add(new Trace(journal, traced));
        }
    }

    /** Lives, and says what was wrong. */
    List<String> live() {
        int count = plan.has(Plan.Freedom.EAGER) ? plan.nodes() + random.nextInt(2) : 2 + random.nextInt(3);
        if (plan.has(Plan.Freedom.FRAGILE)) {
            limitExpirations(random.nextInt(2));
        }
        for (int number = 0; number < count; number++) {
            startWorker("w" + number);
        }
        for (int number = 0; number < plan.creators(); number++) {
            startCreator(client("creator" + number), 4 + random.nextInt(8));
        }
        if (plan.has(Plan.Freedom.SUBSCRIBERS)) {
            subscribers.add(new SubscriberActor(client("subscriber"), journal));
        }
        if (plan.has(Plan.Freedom.RETENTION)) {
            new RetentionActor(client("retention"), journal).start();
        }
        if (plan.has(Plan.Freedom.SCHEDULE)) {
            schedules.add(new ScheduleActor(client("schedule"), this));
        }
        if (plan.has(Plan.Freedom.TRIGGER)) {
            triggers.add(new TriggerActor(this, random));
        }
        schedules.forEach(ScheduleActor::start);
        triggers.forEach(TriggerActor::start);
        subscribers.forEach(SubscriberActor::start);
        if (plan.has(Plan.Freedom.FAULTS)) {
            new Faults(this, random.nextLong()).plan();
        }
        time.pass(plan.trouble());
        calmDown();
        long end = time.now() + TimeUnit.NANOSECONDS.toMicros(PATIENCE.toNanos());
        while (!isOver() && time.now() < end) {
            time.pass(LOOK);
        }
        if (plan.has(Plan.Freedom.SUBSCRIBERS)) {
            time.pass(HEARING);
            subscribers.forEach(SubscriberActor::noteWhoWaits);
        }
        List<String> violations = checker.violations();
        schedules.forEach(any -> violations.addAll(any.violations(remains.ticks(), remains.schedules())));
        triggers.forEach(any -> violations.addAll(any.violations(remains)));
        return violations;
    }

    private void limitExpirations(int most) {
        Client client = client("settings");
        play(client, () -> {
            while (true) {
                try {
                    return client.parts().settings().change(TYPE, settings -> settings.with(Limit.EXPIRATIONS, most));
                } catch (CouchJobsException away) {
                    client.process().pause(Duration.ofSeconds(1));
                }
            }
        });
    }

    private boolean isOver() {
        return creators.stream().allMatch(CreatorActor::isDone)
                && schedules.stream().allMatch(ScheduleActor::isDone)
                && triggers.stream().allMatch(TriggerActor::isDone)
                && remains.isQuiet();
    }

    private void startCreator(Client client, int rounds) {
        if (plan.has(Plan.Freedom.SUBSCRIBERS)) {
            subscribers.add(new SubscriberActor(client, journal));
        }
        CreatorActor creator = new CreatorActor(client, this, rounds);
        creators.add(creator);
        creator.start();
    }

    /** A job is there that some may want to follow. */
    void announce(JobId id) {
        subscribers.forEach(subscriber -> subscriber.follow(id));
    }

    boolean isTroubled() {
        return troubled;
    }

    Meetings meetings() {
        return meetings;
    }

    /** {@return who sees what processes ask, in order} */
    List<Watcher> watchers() {
        return watchers;
    }

    private void calmDown() {
        journal.note("world", "calms-down");
        wires.calmDown();
        troubled = false;
        for (int node = 0; node < plan.nodes(); node++) {
            cluster.start(node);
            cluster.thaw(node);
            cluster.heal(node);
        }
        boolean anybody = workers.stream().anyMatch(worker -> !worker.process().isDead());
        if (!anybody) {
            startWorker("last");
        }
    }

    void startWorker(String id) {
        WorkerActor worker = new WorkerActor(client(id), id, journal, plan);
        workers.add(worker);
        worker.start();
    }

    Client client(String name) {
        return client(name, plan.has(Plan.Freedom.EAGER) ? processes % plan.nodes() : random.nextInt(plan.nodes()));
    }

    /** A process that begins with a node. */
    Client client(String name, int node) {
        SimulatedProcess process = new SimulatedProcess(name + "#" + processes++, stage, time, random.nextLong());
        return new Client(process, new Door(process, cluster, this, node), plan);
    }

    /** Lets a process do something, and everything else happen meanwhile. */
    <T> T play(Client client, Supplier<T> script) {
        AtomicReference<Optional<T>> outcome = new AtomicReference<>(Optional.empty());
        client.process().play("script", () -> outcome.set(Optional.of(script.get())));
        time.until(() -> outcome.get().isPresent());
        return outcome.get().orElseThrow();
    }

    List<WorkerActor> workers() {
        return workers;
    }

    VirtualTime time() {
        return time;
    }

    Cluster cluster() {
        return cluster;
    }

    Plan plan() {
        return plan;
    }

    Journal journal() {
        return journal;
    }

    Wires wires() {
        return wires;
    }

    @Override
    public void close() {
        stage.close();
        cluster.close();
    }
}
