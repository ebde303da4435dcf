package io.couchjobs.embedded.cluster;

import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets blocking code run in virtual time. Each actor has a thread, but only one thread runs at any time, so a run is as
 * repeatable as the agenda alone. A waiting actor runs the next tasks on the agenda until its answer has arrived or another actor
 * has the turn. Time passes only while all actors wait.
 *
 * <p>Actors must not wait for each other by other means, because then no actor could run. Apart from actors taking turns, not
 * thread-safe.
 */
public final class Stage implements Waiter, AutoCloseable {
    private static final int FIRST_JAVA_THAT_PINS_NOTHING = 24;
    private static final ExecutorService THREADS = threads();

    private static final long LONGEST_TURN_SECONDS = 20;

    private final VirtualTime time;
    private final Actor house;
    private final Set<Actor> living = new LinkedHashSet<>();
    private volatile Actor playing;
    private final AtomicLong turns = new AtomicLong();
    private volatile @Nullable Throwable trouble;

    public Stage(VirtualTime time) {
        this.time = time;
        this.house = new Actor("house");
        this.playing = house;
    }

    /** Uses virtual threads where possible, because switching to one costs a fraction of waking a platform thread. */
    private static ExecutorService threads() {
        if (Runtime.version().feature() >= FIRST_JAVA_THAT_PINS_NOTHING) {
            try {
                return (ExecutorService) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "stage");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** A thread that takes turns with the other actors. */
    public final class Actor {
        private final String name;
        private final Semaphore turn = new Semaphore(0);
        private volatile @Nullable Thread thread;
        private boolean called;
        private boolean over;
        private volatile boolean killed;
        private long frozenUntil;
        private long deadline = Long.MAX_VALUE;

        private Actor(String name) {
            this.name = name;
        }

        /** Ends the actor while it waits. It cannot ask any further questions. */
        public void kill() {
            killed = true;
            frozenUntil = 0;
            call(this);
        }

        /** Suspends the actor for a time, even if its answer arrives meanwhile. */
        public void freeze(Duration duration) {
            frozenUntil = Math.max(frozenUntil, time.now() + TimeUnit.NANOSECONDS.toMicros(duration.toNanos()));
        }

        /** {@return whether the actor's script is still running} */
        public boolean lives() {
            return !over;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** Thrown in the script of a killed actor. */
    public static final class Killed extends Error {
        private static final long serialVersionUID = 1L;

        Killed(String name) {
            super(name + " was killed", null, false, false);
        }
    }

    /** Starts an actor on the agenda. An exception from the script ends the run. */
    public Actor play(String name, Runnable script) {
        Actor actor = new Actor(name);
        living.add(actor);
        THREADS.execute(() -> {
            actor.turn.acquireUninterruptibly();
            perform(actor, script);
        });
        call(actor);
        return actor;
    }

    private void perform(Actor actor, Runnable script) {
        Thread.currentThread().setName(actor.name);
        actor.thread = Thread.currentThread();
        actor.called = false;
        try {
            if (!actor.killed) {
                script.run();
            }
        } catch (Killed e) {
            // expected
        } catch (RuntimeException | Error e) {
            trouble = actor.killed ? trouble : e;
        }
        actor.over = true;
        living.remove(actor);
        while (playing == actor) {
            goOn();
        }
    }

    /** Runs the next task. If there is none, gives the turn to the thread that runs the agenda. */
    private void goOn() {
        boolean more = false;
        try {
            more = trouble == null && time.step();
        } catch (RuntimeException | Error e) {
            trouble = e;
        }
        if (!more) {
            give(house);
        }
    }

    /** Schedules the turn of an actor, after the time for which it is frozen. */
    private void call(Actor actor) {
        time.after(Math.max(0, actor.frozenUntil - time.now()), () -> {
            if (actor.frozenUntil > time.now()) {
                call(actor);
            } else if (!actor.over) {
                actor.called = true;
                give(actor);
            }
        });
    }

    /** Gives the turn to an actor. The calling thread waits until it gets the turn back. */
    private void give(Actor next) {
        Actor before = playing;
        if (next == before) {
            return;
        }
        playing = next;
        turns.incrementAndGet();
        next.turn.release();
        if (before.over) {
            return;
        }
        if (before == house) {
            watch();
        } else {
            before.turn.acquireUninterruptibly();
        }
        Throwable thrown = trouble;
        if (before == house && thrown != null) {
            throw new IllegalStateException("An actor failed.", thrown);
        }
    }

    /** Waits for the turn. Fails when an actor blocks by other means than this stage, because it would wait forever. */
    private void watch() {
        long seen = -1;
        while (!hasTheTurn()) {
            if (seen == turns.get()) {
                IllegalStateException blocked =
                        new IllegalStateException(playing + " blocks, and nobody has the turn.");
                Thread thread = playing.thread;
                blocked.setStackTrace(thread == null ? new StackTraceElement[0] : thread.getStackTrace());
                living.clear(); // the other actors cannot run any more
                throw blocked;
            }
            seen = turns.get();
        }
    }

    private boolean hasTheTurn() {
        try {
            return house.turn.tryAcquire(LONGEST_TURN_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while actors play.", e);
        }
    }

    /** The answer that an actor waits for. */
    private final class Wish<T> implements Consumer<T> {
        private final Actor actor;
        private boolean over;
        private boolean late;
        private @Nullable T value;

        Wish(Actor actor) {
            this.actor = actor;
        }

        @Override
        public void accept(T answer) {
            if (!over) {
                over = true;
                value = answer;
                call(actor);
            }
        }

        void expire() {
            if (!over) {
                over = true;
                late = true;
                call(actor);
            }
        }

        @SuppressWarnings("NullAway") // null only if that was the answer
        T get() {
            if (late) {
                throw new UncheckedIOException(new SocketTimeoutException("No answer came in time."));
            }
            return value;
        }
    }

    /**
     * Asks a question and waits for the answer. Called by an actor.
     *
     * @throws UncheckedIOException when the time limit of {@link #within} is exceeded
     */
    @Override
    public <T> T ask(Consumer<Consumer<T>> question) {
        Actor actor = actor();
        Wish<T> wish = new Wish<>(actor);
        if (actor.deadline != Long.MAX_VALUE) {
            time.after(actor.deadline - time.now(), wish::expire);
        }
        question.accept(wish);
        while (!actor.called) {
            goOn();
        }
        actor.called = false;
        requireAlive(actor);
        return wish.get();
    }

    private Actor actor() {
        Actor actor = playing;
        if (actor == house) {
            throw new IllegalStateException("Only actors can wait.");
        }
        requireAlive(actor);
        return actor;
    }

    private static void requireAlive(Actor actor) {
        if (actor.killed) {
            throw new Killed(actor.name);
        }
    }

    /** Runs a task with a time limit for its questions. Called by an actor. */
    public <T> T within(Duration patience, Supplier<T> task) {
        Actor actor = actor();
        long before = actor.deadline;
        actor.deadline = Math.min(before, time.now() + TimeUnit.NANOSECONDS.toMicros(patience.toNanos()));
        try {
            return task.get();
        } finally {
            actor.deadline = before;
        }
    }

    /** Waits for a time. Called by an actor. */
    public void sleep(long micros) {
        Boolean woken = ask(answer -> time.after(micros, () -> answer.accept(true)));
        assert woken;
    }

    /** {@return the actor that has the turn} */
    public Actor playing() {
        return playing;
    }

    /** Kills all actors. */
    @Override
    public void close() {
        trouble = null;
        List.copyOf(living).forEach(Actor::kill);
        time.until(living::isEmpty);
    }
}
