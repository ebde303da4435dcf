package io.couchjobs.testing;

import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Some lanes run what is planned in the thread of a test, while the test lets time pass. Not thread-safe. */
public final class HandMovedTime extends ForwardingEnvironment {
    private final String lanes;
    private final Collection<Task> planned = new CopyOnWriteArrayList<>();
    private volatile long nanos;

    /** For the lanes whose names begin so. */
    public HandMovedTime(String lanes) {
        this.lanes = lanes;
    }

    /** {@return how many nanoseconds have passed} */
    public long passed() {
        return nanos;
    }

    public void pass(Duration duration) {
        long until = nanos + duration.toNanos();
        for (Optional<Task> next = next(until); next.isPresent(); next = next(until)) {
            planned.remove(next.get());
            nanos = Math.max(nanos, next.get().due);
            next.get().task.run();
        }
        nanos = until;
    }

    private Optional<Task> next(long until) {
        return planned.stream().filter(task -> task.due <= until).min(Comparator.comparingLong(task -> task.due));
    }

    @Override
    public Lane lane(String name, int most) {
        return name.startsWith(lanes) ? new HandMovedLane() : super.lane(name, most);
    }

    private final class HandMovedLane implements Lane {
        private boolean closed;

        @Override
        public Planned schedule(Duration pause, Runnable task) {
            Task one = new Task(nanos + pause.toNanos(), task);
            if (!closed) {
                planned.add(one);
            }
            return new Planned() {
                @Override
                public void cancel() {
                    planned.remove(one);
                }

                @Override
                public Duration left() {
                    return Duration.ofNanos(one.due - nanos);
                }
            };
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

    /** Known by its identity. */
    private static final class Task {
        private final long due;
        private final Runnable task;

        Task(long due, Runnable task) {
            this.due = due;
            this.task = task;
        }
    }
}
