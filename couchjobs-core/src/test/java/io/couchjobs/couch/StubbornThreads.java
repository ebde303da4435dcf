package io.couchjobs.couch;

import io.couchjobs.engine.time.Lane;
import io.couchjobs.testing.ForwardingEnvironment;
import java.time.Duration;

/** Threads of one name cannot be shut down. For tests of any package. */
public final class StubbornThreads extends ForwardingEnvironment {
    private final String stubborn;

    public StubbornThreads(String name) {
        this.stubborn = name;
    }

    @Override
    public Lane lane(String name, int most) {
        Lane lane = REAL.lane(name, most);
        return name.equals(stubborn) ? new StubbornLane(lane) : lane;
    }

    private record StubbornLane(Lane lane) implements Lane {
        @Override
        public Planned schedule(Duration pause, Runnable task) {
            return lane.schedule(pause, task);
        }

        @Override
        public void finish() {
            lane.finish();
            throw new IllegalStateException("cannot be shut down");
        }

        @Override
        public void close() {
            lane.close();
            throw new IllegalStateException("cannot be shut down");
        }

        @Override
        public boolean isClosed() {
            return lane.isClosed();
        }

        @Override
        public boolean awaitEnd(Duration longest) throws InterruptedException {
            return lane.awaitEnd(longest);
        }
    }
}
