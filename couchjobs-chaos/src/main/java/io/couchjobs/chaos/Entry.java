package io.couchjobs.chaos;

import java.util.List;
import java.util.Optional;

/**
 * One line of a journal.
 *
 * @param nanos when, on the machine's monotonic clock, which all processes share
 * @param millis when, by the machine's time of day
 * @param process the process that noted it
 * @param what what happened
 * @param job the document id of the job
 * @param token the claim of the run; empty for creators
 * @param fence its fence; 0 for creators
 * @param detail more about it, depending on what happened
 */
record Entry(long nanos, long millis, String process, What what, String job, String token, long fence, String detail) {
    static final String NO_JOB = "";
    /** The end that a reader notes for a job that is not there. */
    static final String GONE = "GONE";

    private static final String SEPARATOR = "\t";

    /** The events that a process notes. */
    enum What {
        /** A creator is about to make the job; the detail is the kind, its time in epoch ms, and the job that it waits for. */
        ADDING,
        /** The creator was told that the job is stored; the detail of a chunk is how many items it has. */
        ADDED,
        /** A creator is about to add the job once more. */
        ADDING_AGAIN,
        /** The creator, which began to do this then, was told later that it is stored, so that the job is run once more. */
        ADDED_AGAIN,
        /** A creator is about to cancel the job. */
        CANCELLING,
        /** A creator was told that the job, which nobody owned, is cancelled. */
        CANCELLED,
        /** A creator was told that the job, which somebody owned, is to be stopped. */
        CANCEL_REQUESTED,
        /** A creator was told that nothing was written, because somebody owned the job. */
        CANCEL_REFUSED,
        /** A handler was called. */
        BEGIN,
        /** At this moment, or later, the lease was not over. */
        HELD,
        /** A question to the database whether the job is owned, asked at this moment or later, was answered by yes. */
        ASSERTED,
        /** For seconds the handler was to be stopped, and was not interrupted; the detail says why it was to be. */
        UNTOLD,
        /** Threads of the process wait for each other, and will for ever; no job, the detail names them. */
        DEADLOCKED,
        /** The handler is done; the write of the outcome comes after this. The detail says how. */
        END,
        /** A handler was called for an item of a chunk; the detail is its index in the array. */
        ITEM_BEGIN,
        /** The handler of an item has succeeded; the detail is its index in the array. */
        ITEM_DONE,
        /** The owner of a chunk was told that these states of its items are stored; the detail is a character for each. */
        ITEMS_STORED,
        /** The queue said how the run ended: the detail is a {@code RunReport.Outcome}. */
        OUTCOME,
        /** A reader follows all jobs from now on; no job. */
        FOLLOWS,
        /** A reader was told that it may have missed changes; no job. */
        MISSED,
        /** A reader was told that the job has ended: the fence is the job's, the detail its status and the claim of its result. */
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

    /** Reads a line; empty for a line that was cut short when its process was killed. */
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
