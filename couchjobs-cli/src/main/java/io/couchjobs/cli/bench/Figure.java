package io.couchjobs.cli.bench;

import java.util.Locale;

/** The figures that can be measured. */
public enum Figure {
    /** Adding many jobs in bulk, beside raw bulk writes. */
    ENQUEUE_BULK(2),
    /** Adding jobs one by one from 16 threads, beside raw bulk writes. */
    ENQUEUE_THREADS(2),
    /** The same by threads that do not wait for the answers, until all are there. */
    ENQUEUE_ASYNC(2),
    /** Running jobs that do nothing in one process, beside half of raw bulk writes: a run is two writes. */
    DRAIN(6),
    /** The same in several processes, beside one. */
    DRAIN_PROCESSES(6),
    /** The same by 1, 2, 4, ... processes, each with few and with many places. */
    PROCESSES(60),
    /** From an add here to the handler's start in another process, beside two raw writes and a raw feed's notification. */
    WAKEUP(3),
    /** The cost of a worker without work. */
    IDLE(0),
    /** How many claims an idle fleet tries for one new job. */
    HERD(2),
    /** Running jobs in one process while others only listen: the cost per job by their number. */
    FLEET(30),
    /** Adding an array and running its items in one process, beside running jobs. */
    ARRAYS(8),
    /** The rate of running jobs beside a large backlog, beside that with 1,000 jobs. */
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

    /** How many times as long as one raw measurement a round takes, roughly; for the estimate of the time left. */
    int weight() {
        return weight;
    }

    /** {@return whether it is measured without being named; the others take long} */
    public boolean isUsual() {
        return this != PROCESSES && this != FLEET;
    }

    /** {@return the field of the result, and what is typed to have it measured} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
