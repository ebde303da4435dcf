package io.couchjobs.engine.worker;

import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.Optional;

/** Stops calls of handlers that take too long. Thread-safe. */
final class TimeLimits implements AutoCloseable {
    private final Optional<Duration> limit;
    private final Environment environment;
    private final Lane lane;

    TimeLimits(Optional<Duration> limit, Environment environment) {
        this.limit = limit;
        this.environment = environment;
        this.lane = environment.lane("couchjobs-time-limits", 1);
    }

    /** As {@link #watch(Runnable)}, of a job's run. The items of a chunk are watched one by one. */
    Watch watch(Job job, Runnable stop) {
        return ItemStates.areIn(job) ? Watch.NONE : watch(stop);
    }

    /**
     * A call begins.
     *
     * @param stop stops it when it takes too long
     * @return what watches it until it is closed
     */
    Watch watch(Runnable stop) {
        return limit.<Watch>map(longest -> new Timer(longest, stop)).orElse(Watch.NONE);
    }

    @Override
    public void close() {
        lane.close();
    }

    /** Watches calls, one after the other. */
    interface Watch extends AutoCloseable {
        /** Watches nothing: the calls may take as long as they like. */
        Watch NONE = new Watch() {
            @Override
            public void again() {}

            @Override
            public void close() {}
        };

        /** The next call begins. */
        void again();

        @Override
        void close();
    }

    /** Calls may be many and short, so one planned task looks after all of them. */
    private final class Timer implements Watch {
        private final Duration longest;
        private final Runnable stop;
        private long began;
        private boolean isStopped;
        private boolean isClosed;
        private Lane.Planned next;

        Timer(Duration longest, Runnable stop) {
            this.longest = longest;
            this.stop = stop;
            this.began = environment.nanos();
            this.next = lane.schedule(longest, this::look);
        }

        private synchronized void look() {
            if (isClosed) {
                return;
            }
            Duration left = longest.minusNanos(environment.nanos() - began);
            if (!isStopped && left.compareTo(Duration.ZERO) <= 0) {
                isStopped = true;
                stop.run();
            }
            next = lane.schedule(isStopped ? longest : left, this::look);
        }

        @Override
        public synchronized void again() {
            began = environment.nanos();
            isStopped = false;
        }

        @Override
        public synchronized void close() {
            isClosed = true;
            next.cancel();
        }
    }
}
