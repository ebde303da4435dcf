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
 * Lets code that blocks take part in virtual time. Each actor has a thread, but only one thread runs at any time, so a run is as
 * repeatable as the agenda alone. An actor that waits runs the next tasks on the agenda, until its answer has come or it is
 * another actor's turn. Time passes only while all wait.
 *
 * <p>Actors must not wait for each other by other means: nobody would have the turn. Otherwise not thread-safe.
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

    /** Giving a turn to a virtual thread costs a fraction of what it costs to wake another. */
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

    /** A thread that takes turns with the others. */
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

        /** Ends the actor where it waits: nothing that it asks for is done any more. */
        public void kill() {
            killed = true;
            frozenUntil = 0;
            call(this);
        }

        /** Lets the actor do nothing for a time, even if its answer comes meanwhile. */
        public void freeze(Duration duration) {
            frozenUntil = Math.max(frozenUntil, time.now() + TimeUnit.NANOSECONDS.toMicros(duration.toNanos()));
        }

        /** {@return whether its script has not come to its end} */
        public boolean lives() {
            return !over;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** Thrown through the script of an actor that was killed. */
    public static final class Killed extends Error {
        private static final long serialVersionUID = 1L;

        Killed(String name) {
            super(name + " was killed", null, false, false);
        }
    }

    /** Starts an actor as soon as the agenda comes to it. An exception of the script ends the run. */
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
            // as it was wanted
        } catch (RuntimeException | Error e) {
            trouble = actor.killed ? trouble : e;
        }
        actor.over = true;
        living.remove(actor);
        while (playing == actor) {
            goOn();
        }
    }

    /** Does the next task. When there is none for now, gives the turn to the thread that lets time pass. */
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

    /** Wakes an actor when its time has come. */
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

    /** Called by the thread that has the turn; it waits until it gets the turn back. */
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

    /** An actor that waits for another one by other means than this stage would wait for ever. */
    private void watch() {
        long seen = -1;
        while (!hasTheTurn()) {
            if (seen == turns.get()) {
                IllegalStateException blocked =
                        new IllegalStateException(playing + " blocks, and nobody has the turn.");
                Thread thread = playing.thread;
                blocked.setStackTrace(thread == null ? new StackTraceElement[0] : thread.getStackTrace());
                living.clear(); // they cannot be told any more
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

    /** An answer that an actor waits for. */
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
     * Called by an actor: asks, and waits for the answer.
     *
     * @throws UncheckedIOException when the time of {@link #within} is over first
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

    /** Called by an actor: runs a task whose questions must be answered within a time. */
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

    /** Called by an actor: lets time pass. */
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
