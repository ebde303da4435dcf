package io.couchjobs.simulation;

import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

/** A lane of a simulated process: its tasks are played by actors, in virtual time. */
final class StageLane implements Lane {
    private final SimulatedProcess process;
    private final String name;
    private final int most;
    private final Queue<Task> waiting = new ArrayDeque<>();
    private int running;
    private boolean closed;

    StageLane(SimulatedProcess process, String name, int most) {
        this.process = process;
        this.name = name;
        this.most = most;
    }

    private final class Task implements Planned {
        private final Runnable body;
        private final long dueNanos;
        private boolean cancelled;

        Task(Runnable body, long dueNanos) {
            this.body = body;
            this.dueNanos = dueNanos;
        }

        void run() {
            if (!cancelled) {
                body.run();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        @Override
        public Duration left() {
            return Duration.ofNanos(Math.max(0, dueNanos - process.nanos()));
        }
    }

    @Override
    public Planned schedule(Duration pause, Runnable body) {
        long nanos = Math.max(0, pause.toNanos());
        Task task = new Task(body, process.nanos() + nanos);
        process.after(nanos, () -> begin(task));
        return task;
    }

    private void begin(Task task) {
        if (closed || task.cancelled) {
            return;
        }
        if (running >= most) {
            waiting.add(task);
            return;
        }
        running++;
        process.play(name, () -> {
            Task next = task;
            while (next != null) {
                next.run();
                next = closed ? null : waiting.poll();
            }
            running--;
        });
    }

    @Override
    public void finish() {
        closed = true;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean awaitEnd(Duration longest) {
        return true;
    }
}
