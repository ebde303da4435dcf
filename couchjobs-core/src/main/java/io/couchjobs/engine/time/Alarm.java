package io.couchjobs.engine.time;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Runs a task when it rings, at the earliest requested time. At most one time is planned. Thread-safe. */
public final class Alarm {
    private static final Duration SHORTEST = Duration.ofMillis(10);

    private final Lane lane;
    private final Runnable task;
    private final Duration shortest;
    private Lane.@Nullable Planned planned;
    /** Whether requests change nothing until the alarm rings. */
    private boolean patient;

    /**
     * Creates an alarm that plans nothing yet. The alarm does not ring within 10 ms of a request.
     *
     * @param lane runs the task; nothing is planned after the lane was closed
     * @param task throws nothing
     */
    public Alarm(Lane lane, Runnable task) {
        this(lane, task, SHORTEST);
    }

    private Alarm(Lane lane, Runnable task, Duration shortest) {
        this.lane = lane;
        this.task = task;
        this.shortest = shortest;
    }

    /** {@return an alarm that may ring at once} */
    public static Alarm immediate(Lane lane, Runnable task) {
        return new Alarm(lane, task, Duration.ZERO);
    }

    /** Rings as soon as possible. */
    public void now() {
        within(Duration.ZERO);
    }

    /** Rings after this pause, unless an earlier time is planned. */
    public synchronized void within(Duration pause) {
        if (!patient) {
            plan(pause);
        }
    }

    /** Rings after this pause. Later requests do not make it ring earlier, because the last try of the task has failed. */
    public synchronized void notBefore(Duration pause) {
        if (planned != null) {
            planned.cancel();
            planned = null;
        }
        plan(pause);
        patient = true;
    }

    private void plan(Duration pause) {
        Duration bounded = pause.compareTo(shortest) < 0 ? shortest : pause;
        if (planned != null && planned.left().compareTo(bounded) <= 0) {
            return;
        }
        if (planned != null) {
            planned.cancel();
        }
        planned = lane.isClosed() ? null : lane.schedule(bounded, this::ring);
    }

    private void ring() {
        synchronized (this) {
            planned = null;
            patient = false;
        }
        task.run();
    }
}
