package io.couchjobs.embedded.cluster;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets code that blocks take part in virtual time: each actor has a thread, but only one of them, or the agenda, runs at
 * any time, so a run is as repeatable as the agenda alone. An actor that waits gives the turn back to the agenda, which
 * gives it to the actor again when what it waits for has come.
 */
public final class Stage implements Waiter {
    private final Agenda agenda;
    private final Semaphore agendasTurn = new Semaphore(0);
    private volatile @Nullable Actor playing;
    private volatile @Nullable Throwable trouble;

    public Stage(Agenda agenda) {
        this.agenda = agenda;
    }

    /** An actor, waiting in the wings. */
    private static final class Actor {
        private final Semaphore turn = new Semaphore(0);
    }

    /** Starts an actor as soon as the agenda comes to it. What it throws ends the run. */
    public void play(String name, Runnable script) {
        Actor actor = new Actor();
        Thread thread = new Thread(
                () -> {
                    actor.turn.acquireUninterruptibly();
                    perform(script);
                    agendasTurn.release();
                },
                name);
        thread.setDaemon(true);
        thread.start();
        agenda.after(0, () -> give(actor));
    }

    private void perform(Runnable script) {
        try {
            script.run();
        } catch (RuntimeException | Error e) {
            trouble = e;
        }
    }

    /** Called on the agenda's thread. */
    private void give(Actor actor) {
        playing = actor;
        actor.turn.release();
        agendasTurn.acquireUninterruptibly();
        playing = null;
        Throwable thrown = trouble;
        if (thrown != null) {
            throw new IllegalStateException("An actor failed.", thrown);
        }
    }

    /** Called by an actor: asks, and waits for the answer. */
    @Override
    public <T> T ask(Consumer<Consumer<T>> question) {
        Actor actor =
                Optional.ofNullable(playing).orElseThrow(() -> new IllegalStateException("Only actors can wait."));
        CompletableFuture<T> answer = new CompletableFuture<>();
        question.accept(value -> {
            if (answer.complete(value)) {
                agenda.after(0, () -> give(actor));
            }
        });
        agendasTurn.release();
        actor.turn.acquireUninterruptibly();
        return answer.join();
    }

    /** Called by an actor: lets time pass. */
    public void sleep(long micros) {
        Boolean woken = ask(answer -> agenda.after(micros, () -> answer.accept(true)));
        assert woken;
    }
}
