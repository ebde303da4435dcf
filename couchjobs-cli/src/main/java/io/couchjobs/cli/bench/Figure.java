package io.couchjobs.cli.bench;

import java.util.Locale;

/** The figures that can be measured. */
public enum Figure {
    /** Adding many jobs in bulk, compared with raw bulk writes. */
    ENQUEUE_BULK(2),
    /** Adding jobs one by one from 16 threads, compared with raw bulk writes. */
    ENQUEUE_THREADS(2),
    /** As {@link #ENQUEUE_THREADS}, but the threads wait for the answers only at the end. */
    ENQUEUE_ASYNC(2),
    /**
     * Running jobs that do nothing in one process, compared with half the rate of raw bulk writes, because a run is two writes.
     */
    DRAIN(6),
    /** As {@link #DRAIN} in several processes, compared with one. */
    DRAIN_PROCESSES(6),
    /** As {@link #DRAIN} in 1, 2, 4, ... processes, each with few and with many places. */
    PROCESSES(60),
    /**
     * The time from an add here to the handler's start in another process, compared with two raw writes and a raw feed's
     * notification.
     */
    WAKEUP(3),
    /** The cost of an idle worker. */
    IDLE(0),
    /** How many claims an idle fleet tries for one new job. */
    HERD(2),
    /** Running jobs in one process while others only listen: the cost per job by the number of listeners. */
    FLEET(30),
    /** Adding an array and running its items in one process, compared with running jobs. */
    ARRAYS(8),
    /** The rate of running jobs beside a large backlog, compared with the rate beside 1,000 jobs. */
    BACKLOG(12),
    /** The heap of a worker in a small JVM beside the backlog. */
    MEMORY(0),
    /** The bytes that a job leaves on disk. */
    STORAGE(0),
    /** How long the command line takes to start. */
    START(0);

    private final int weight;

    Figure(int weight) {
        this.weight = weight;
    }

    /** Returns roughly how many times as long as a raw measurement a round takes. Used to estimate the time left. */
    int weight() {
        return weight;
    }

    /** {@return whether the figure is measured by default; the other figures take long} */
    public boolean isUsual() {
        return this != PROCESSES && this != FLEET;
    }

    /** {@return the name of the figure, in the results and on the command line} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
