package io.couchjobs.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** What goes wrong, and when. All of it is over before the world calms down, or is ended then. */
final class Faults {
    private static final long SECOND = TimeUnit.SECONDS.toMicros(1);

    private final World world;
    private final Random random;

    Faults(World world, long seed) {
        this.world = world;
        this.random = new Random(seed);
    }

    /** Some lives are quiet, most are not. */
    void plan() {
        int count = random.nextInt(6);
        long end = TimeUnit.NANOSECONDS.toMicros(world.plan().trouble().toNanos());
        for (int i = 0; i < count; i++) {
            world.time().after((long) (random.nextDouble() * end), this::happen);
        }
    }

    private void happen() {
        int longest = world.plan().has(Plan.Freedom.LONG) ? 25 : 15;
        int node = random.nextInt(world.plan().nodes());
        long lasts = SECOND / 2 + (long) (random.nextDouble() * longest * SECOND);
        switch (random.nextInt(6)) {
            case 0 -> {
                note("stop", node, lasts);
                world.cluster().stop(node);
                world.time().after(lasts, () -> world.cluster().start(node));
            }
            case 1 -> {
                note("freeze", node, lasts);
                world.cluster().freeze(node);
                world.time().after(lasts, () -> world.cluster().thaw(node));
            }
            case 2, 3 -> {
                note("isolate", node, lasts);
                world.cluster().isolate(node);
                world.time().after(lasts, () -> world.cluster().heal(node));
            }
            case 4 -> killWorker();
            default -> freezeWorker(lasts);
        }
    }

    private void note(String what, Object whom, long micros) {
        world.journal().note("fault", what + " " + whom + " for " + micros / 1e6 + " s");
    }

    private void killWorker() {
        List<WorkerActor> living = living();
        if (living.isEmpty()) {
            return;
        }
        WorkerActor victim = living.get(random.nextInt(living.size()));
        note("kill", victim.id(), 0);
        victim.process().kill();
        victim.died();
        String next = random.nextBoolean() ? victim.id() : victim.id() + "'";
        world.time().after((long) (random.nextDouble() * 10 * SECOND), () -> world.startWorker(next));
    }

    private void freezeWorker(long lasts) {
        List<WorkerActor> living = living();
        if (!living.isEmpty()) {
            WorkerActor victim = living.get(random.nextInt(living.size()));
            note("freeze-process", victim.id(), lasts);
            victim.process().freeze(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(lasts)));
        }
    }

    private List<WorkerActor> living() {
        return world.workers().stream()
                .filter(worker -> !worker.process().isDead())
                .toList();
    }
}
