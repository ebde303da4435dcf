package io.couchjobs.simulation;

import io.couchjobs.embedded.cluster.Stage;
import io.couchjobs.embedded.cluster.VirtualTime;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A process of the simulation: its threads are actors, and die or freeze together. */
final class SimulatedProcess implements Environment {
    private static final long EPOCH_MS = 1_700_000_000_000L;

    private final String name;
    private final Stage stage;
    private final VirtualTime time;
    private final Random random;
    private final List<Stage.Actor> actors = new ArrayList<>();
    private long frozenUntilMicros;
    private boolean dead;

    SimulatedProcess(String name, Stage stage, VirtualTime time, long seed) {
        this.name = name;
        this.stage = stage;
        this.time = time;
        this.random = new Random(seed);
    }

    Stage stage() {
        return stage;
    }

    /** {@return the time of day; all processes have the same} */
    /** {@return the virtual time of a moment of {@link #clock()}; the first or the last one where there is none} */
    static long micros(Instant moment) {
        Instant start = Instant.ofEpochMilli(EPOCH_MS);
        return moment.isBefore(start) ? 0 : TimeUnit.MILLISECONDS.toMicros(moment.toEpochMilli() - EPOCH_MS);
    }

    InstantSource clock() {
        return () -> Instant.ofEpochMilli(EPOCH_MS + TimeUnit.MICROSECONDS.toMillis(time.now()));
    }

    void play(String thread, Runnable script) {
        if (dead) {
            return;
        }
        long left = frozenUntilMicros - time.now();
        if (left > 0) {
            time.after(left, () -> play(thread, script));
            return;
        }
        actors.removeIf(actor -> !actor.lives());
        actors.add(stage.play(name + " " + thread, script));
    }

    void after(long nanos, Runnable task) {
        time.after(micros(nanos), task);
    }

    boolean isDead() {
        return dead;
    }

    void kill() {
        dead = true;
        actors.forEach(Stage.Actor::kill);
    }

    void freeze(Duration duration) {
        frozenUntilMicros = Math.max(frozenUntilMicros, time.now() + TimeUnit.NANOSECONDS.toMicros(duration.toNanos()));
        actors.forEach(actor -> actor.freeze(duration));
    }

    @Override
    public long nanos() {
        return TimeUnit.MICROSECONDS.toNanos(time.now());
    }

    @Override
    public void pause(Duration duration) {
        stage.sleep(micros(duration.toNanos()));
    }

    /** Rounds up: who waits again for the rest of a wait that ended early would do so for ever, as no time passes. */
    private static long micros(long nanos) {
        return (nanos + 999) / 1000;
    }

    @Override
    public Random random() {
        return random;
    }

    @Override
    public UUID uuid() {
        return new UUID(random.nextLong(), random.nextLong());
    }

    @Override
    public Lane lane(String thread, int most) {
        return new StageLane(this, thread, most);
    }

    @Override
    public Instant instant() {
        return clock().instant();
    }

    @Override
    public Thread thread(String thread, Runnable loop) {
        return new ActorThread(thread, loop);
    }

    @Override
    public void startRun(String thread, ClassLoader loader, Runnable run) {
        throw new UnsupportedOperationException("the simulation has no threads that block: " + thread);
    }

    @Override
    public <T> T join(CompletableFuture<T> future) {
        if (!future.isDone()) {
            Boolean done = stage.ask(then -> {
                var unused = future.whenComplete((value, trouble) -> then.accept(true));
            });
            assert done;
        }
        return future.join();
    }

    @Override
    public boolean await(CompletableFuture<?> future, Duration longest) {
        if (!future.isDone() && longest.toNanos() > 0) {
            Boolean done = stage.ask(then -> {
                var unused = future.whenComplete((value, trouble) -> then.accept(true));
                after(longest.toNanos(), () -> then.accept(false));
            });
            assert done != null;
        }
        return future.isDone();
    }

    @Override
    public String toString() {
        return name;
    }

    /** A thread of the process, which an actor plays. */
    private final class ActorThread extends Thread {
        private final Runnable loop;

        ActorThread(String thread, Runnable loop) {
            super(thread);
            this.loop = loop;
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized")
        public void start() {
            play(getName(), loop);
        }

        /** No actor waits for anything that an interrupt would end. */
        @Override
        public void interrupt() {}
    }
}
