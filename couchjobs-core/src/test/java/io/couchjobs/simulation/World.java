package io.couchjobs.simulation;

import io.couchjobs.embedded.cluster.Cluster;
import io.couchjobs.embedded.cluster.RandomDelays;
import io.couchjobs.embedded.cluster.Stage;
import io.couchjobs.embedded.cluster.VirtualTime;
import io.couchjobs.embedded.cluster.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * One life of a queue on a simulated cluster, from a seed: workers and creators, each a process of its own, and what
 * goes wrong. After a time nothing goes wrong any more, and the queue must become empty.
 */
final class World implements AutoCloseable {
    static final String TYPE = "t";

    private static final Duration TIMEOUT = Duration.ofSeconds(6);
    private static final Duration TROUBLE = Duration.ofSeconds(40);
    private static final Duration PATIENCE = Duration.ofMinutes(20);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final RandomDelays.Means DELAYS = new RandomDelays.Means(50, 270, 8, 5_000, 1_000_000);

    private final VirtualTime time = new VirtualTime();
    private final Stage stage = new Stage(time);
    private final Journal journal = new Journal(time);
    private final Random random;
    private final Plan plan;
    private final Cluster cluster;
    private final Wires wires;
    private final Checker checker;
    private final List<WorkerActor> workers = new ArrayList<>();
    private int processes;

    /**
     * How a life is to be.
     *
     * @param nodes of the cluster
     * @param faults whether anything goes wrong
     * @param creators how many there are
     * @param habit what they do
     */
    record Plan(int nodes, boolean faults, Door.Protocol protocol, int creators, Habit habit) {
        static final Plan DEFAULT = of(Door.Protocol.ONLY_201);
        static final Plan FICKLE = new Plan(3, true, Door.Protocol.ONLY_201, 6, Habit.FICKLE);

        static Plan of(Door.Protocol protocol) {
            return new Plan(3, true, protocol, 2, Habit.MIXED);
        }

        /** Jobs have several leaves all the time. */
        static Plan crowded(Door.Protocol protocol) {
            return new Plan(3, true, protocol, 4, Habit.TOGETHER);
        }
    }

    /** What creators do. */
    enum Habit {
        /** Whatever people and programs do. */
        MIXED,
        /** All add the same job at the same moment, again and again, and some change it then; or insert it, some of them late. */
        TOGETHER,
        /** Each adds jobs of its own, and soon wants them otherwise. */
        FICKLE
    }

    /** The ways of clients to nodes: first they lose what they carry now and then, later nothing. */
    static final class Wires {
        private final Wire lossy;
        private final Wire calm;
        private boolean areLossy;

        Wires(VirtualTime time, Cluster cluster, boolean lose, long seed) {
            this.lossy = new Wire(time, cluster, new Wire.Trouble(0.005, 0.015, 300), seed);
            this.calm = new Wire(time, cluster, new Wire.Trouble(0, 0, 300), seed + 1);
            this.areLossy = lose;
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
        Cluster.Settings settings = new Cluster.Settings(plan.nodes(), 1, Duration.ofSeconds(4), Duration.ofSeconds(4));
        this.cluster = new Cluster(time, new RandomDelays(random.nextLong(), DELAYS), settings);
        this.wires = new Wires(time, cluster, plan.faults(), random.nextLong());
        this.checker = new Checker(journal, cluster, plan.nodes());
    }

    /** Lives, and says what was wrong. */
    List<String> live() {
        int count = 2 + random.nextInt(3);
        for (int number = 0; number < count; number++) {
            startWorker("w" + number);
        }
        for (int number = 0; number < plan.creators(); number++) {
            new CreatorActor(client("creator" + number), journal, plan.habit(), 4 + random.nextInt(8)).start();
        }
        if (plan.faults()) {
            new Faults(this, random.nextLong()).plan();
        }
        time.pass(TROUBLE);
        calmDown();
        long end = time.now() + TimeUnit.NANOSECONDS.toMicros(PATIENCE.toNanos());
        while (!checker.isQuiet() && time.now() < end) {
            time.pass(LOOK);
        }
        return checker.violations();
    }

    private void calmDown() {
        journal.note("world", "calms-down");
        wires.calmDown();
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
        WorkerActor worker = new WorkerActor(client(id), id, journal, TIMEOUT);
        workers.add(worker);
        worker.start();
    }

    private Client client(String name) {
        SimulatedProcess process = new SimulatedProcess(name + "#" + processes++, stage, time, random.nextLong());
        Door door = new Door(process, cluster, wires, plan);
        return new Client(process, door, TIMEOUT, plan.faults() ? 0.003 : 0);
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

    static Duration trouble() {
        return TROUBLE;
    }

    @Override
    public void close() {
        stage.close();
        cluster.close();
    }
}
