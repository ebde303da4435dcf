package io.couchjobs.simulation;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Threads of a simulated process: each task is played by an actor, in virtual time. */
final class StageThreads extends AbstractExecutorService implements ScheduledExecutorService {
    private final SimulatedProcess process;
    private final String name;
    private final int most;
    private final Queue<Task<?>> waiting = new ArrayDeque<>();
    private int running;
    private boolean shutdown;

    StageThreads(SimulatedProcess process, String name, int most) {
        this.process = process;
        this.name = name;
        this.most = most;
    }

    private final class Task<V> extends FutureTask<V> implements ScheduledFuture<V> {
        private final long dueNanos;

        Task(Callable<V> callable, long dueNanos) {
            super(callable);
            this.dueNanos = dueNanos;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNanos - process.nanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        long nanos = Math.max(0, unit.toNanos(delay));
        Task<V> task = new Task<>(callable, process.nanos() + nanos);
        process.after(nanos, () -> begin(task));
        return task;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return schedule(
                () -> {
                    command.run();
                    return null;
                },
                delay,
                unit);
    }

    @Override
    public void execute(Runnable command) {
        ScheduledFuture<?> unused = schedule(command, 0, TimeUnit.NANOSECONDS);
    }

    private void begin(Task<?> task) {
        if (shutdown || task.isDone()) {
            return;
        }
        if (running >= most) {
            waiting.add(task);
            return;
        }
        running++;
        process.play(name, () -> {
            Task<?> next = task;
            while (next != null) {
                next.run();
                next = shutdown ? null : waiting.poll();
            }
            running--;
        });
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initial, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {
        shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        return Collections.emptyList();
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown && running == 0;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }
}
