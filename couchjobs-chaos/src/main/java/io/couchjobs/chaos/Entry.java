package io.couchjobs.chaos;

import java.util.List;
import java.util.Optional;

/**
 * A line of a journal.
 *
 * @param nanos the time on the machine's monotonic clock, which all processes share
 * @param millis the time of day of the machine, in epoch ms
 * @param process the process that noted it
 * @param what the event
 * @param job the document id of the job
 * @param token the token of the run's claim; empty for creators
 * @param fence the fence of the run's claim; 0 for creators
 * @param detail details that depend on the event
 */
record Entry(long nanos, long millis, String process, What what, String job, String token, long fence, String detail) {
    static final String NO_JOB = "";
    /** The end that a reader notes for a missing job. */
    static final String GONE = "GONE";

    private static final String SEPARATOR = "\t";

    /** The events that a process notes. */
    enum What {
        /**
         * A creator is about to add the job; the detail: the kind, the scheduled time in epoch ms, and the job that it waits for.
         */
        ADDING,
        /** The creator was told that the job is stored; the detail of a chunk is the number of its items. */
        ADDED,
        /** A creator is about to add the job again. */
        ADDING_AGAIN,
        /** The creator was told that the repeated add is stored, so that the job runs again; the time is that before the add. */
        ADDED_AGAIN,
        /** A creator is about to cancel the job. */
        CANCELLING,
        /** A creator was told that the job, which had no owner, is cancelled. */
        CANCELLED,
        /** A creator was told that the cancellation is requested, because the job has an owner. */
        CANCEL_REQUESTED,
        /** A creator was told that no write was made, because the job has an owner. */
        CANCEL_REFUSED,
        /** A handler was called. */
        BEGIN,
        /** At this time or later, the lease had not ended. */
        HELD,
        /** At this time or later, the database confirmed that the run owned the job. */
        ASSERTED,
        /** The handler should have been interrupted seconds ago, but was not; the detail is the reason for stopping it. */
        UNTOLD,
        /** Threads of the process are deadlocked; no job, the detail names the threads. */
        DEADLOCKED,
        /** The handler has ended, before the outcome is written; the detail says how it ended. */
        END,
        /** A handler was called for an item of a chunk; the detail is its index in the array. */
        ITEM_BEGIN,
        /** The handler of an item has succeeded; the detail is its index in the array. */
        ITEM_DONE,
        /** The owner of a chunk was told that these states of its items are stored; the detail has a character for each item. */
        ITEMS_STORED,
        /** The queue reported the outcome of the run; the detail is a {@code RunReport.Outcome}. */
        OUTCOME,
        /** A reader has started to follow all jobs; no job. */
        FOLLOWS,
        /** A reader was told that it may have missed changes; no job. */
        MISSED,
        /** A reader was told the end of the job; the fence is the job's, the detail its status and the token of its result. */
        TOLD
    }

    static Entry ofCreator(long nanos, long millis, String process, What what, String job, String detail) {
        return new Entry(nanos, millis, process, what, job, "", 0, detail);
    }

    String line() {
        return String.join(
                        SEPARATOR,
                        Long.toString(nanos),
                        Long.toString(millis),
                        process,
                        what.name(),
                        job,
                        token,
                        Long.toString(fence),
                        detail.replaceAll("\\s", " "))
                + "\n";
    }

    /** Parses a line. Returns empty for a line that was truncated when its process was killed. */
    static Optional<Entry> parse(String line) {
        List<String> parts = List.of(line.split(SEPARATOR, -1));
        if (parts.size() != 8) {
            return Optional.empty();
        }
        return Optional.of(new Entry(
                Long.parseLong(parts.get(0)),
                Long.parseLong(parts.get(1)),
                parts.get(2),
                What.valueOf(parts.get(3)),
                parts.get(4),
                parts.get(5),
                Long.parseLong(parts.get(6)),
                parts.get(7)));
    }
}
