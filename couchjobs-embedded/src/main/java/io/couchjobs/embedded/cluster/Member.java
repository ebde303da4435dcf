package io.couchjobs.embedded.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The process of a node. Its scheduled tasks are dropped when it is killed, and wait while it is frozen. */
final class Member {
    enum State {
        RUNNING,
        FROZEN,
        STOPPED
    }

    private record Held(long life, Runnable task) {}

    private final int number;
    private final Agenda agenda;
    private final Deque<Held> held = new ArrayDeque<>();
    private final List<Runnable> clients = new ArrayList<>();
    private State state = State.RUNNING;
    private long life;

    Member(int number, Agenda agenda) {
        this.number = number;
        this.agenda = agenda;
    }

    int number() {
        return number;
    }

    /** {@return the name, in the format of Erlang node names} */
    String name() {
        return "node" + (number + 1) + "@127.0.0.1";
    }

    State state() {
        return state;
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    /** Schedules a task, which is dropped if the process is killed before. */
    void perform(long micros, Runnable task) {
        Held one = new Held(life, task);
        agenda.after(micros, () -> run(one));
    }

    private void run(Held one) {
        if (one.life() != life) {
            return;
        }
        if (state == State.FROZEN) {
            held.add(one);
        } else if (state == State.RUNNING) {
            one.task().run();
        }
    }

    void stop() {
        state = State.STOPPED;
        held.clear();
        life++;
        List<Runnable> told = List.copyOf(clients);
        clients.clear();
        told.forEach(Runnable::run);
    }

    /** Registers a client that is called when the process dies. The returned task removes the client. */
    Runnable onStop(Runnable client) {
        clients.add(client);
        return () -> clients.remove(client);
    }

    void start() {
        if (state == State.STOPPED) {
            state = State.RUNNING;
        }
    }

    void freeze() {
        if (state == State.RUNNING) {
            state = State.FROZEN;
        }
    }

    /** Resumes the process with the tasks that arrived meanwhile, in their order. */
    void thaw() {
        if (state != State.FROZEN) {
            return;
        }
        state = State.RUNNING;
        while (!held.isEmpty()) {
            Held one = held.remove();
            agenda.after(0, () -> run(one));
        }
    }
}
