package io.couchjobs.embedded.cluster;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** An agenda in virtual time, which passes only while a caller runs it and jumps from task to task. Not thread-safe. */
public final class VirtualTime implements Agenda {
    private final PriorityQueue<Entry> entries = new PriorityQueue<>();
    private long now;
    private long count;
    private BooleanSupplier over = () -> true;

    private record Entry(long due, long number, Runnable task) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry other) {
            int order = Long.compare(due, other.due);
            return order == 0 ? Long.compare(number, other.number) : order;
        }
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public void after(long micros, Runnable task) {
        entries.add(new Entry(now + Math.max(0, micros), count++, task));
    }

    /** Runs all tasks that are due within a time, and moves the clock forward by that time. */
    public void pass(Duration time) {
        long end = now + TimeUnit.NANOSECONDS.toMicros(time.toNanos());
        run(() -> entries.isEmpty() || entries.element().due() > end);
        now = end;
    }

    /**
     * Runs tasks until a condition holds.
     *
     * @throws IllegalStateException when no task is left and the condition does not hold
     */
    public void until(BooleanSupplier condition) {
        run(() -> entries.isEmpty() || condition.getAsBoolean());
        if (!condition.getAsBoolean()) {
            throw new IllegalStateException("Nothing is left to happen, and what was awaited did not.");
        }
    }

    private void run(BooleanSupplier end) {
        over = end;
        boolean more = true;
        while (more) {
            more = step();
        }
    }

    /** Runs the next task. Returns false when the current run is over. */
    boolean step() {
        if (over.getAsBoolean()) {
            return false;
        }
        Entry entry = entries.remove();
        now = entry.due();
        entry.task().run();
        return true;
    }
}
