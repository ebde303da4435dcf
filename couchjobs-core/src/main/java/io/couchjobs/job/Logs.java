package io.couchjobs.job;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The logs of a queue's jobs. A log can be read while it grows. Thread-safe. {@code JobQueue} says what all methods throw.
 */
public interface Logs {
    /**
     * Reads the log of a job.
     *
     * @param job the job
     * @return its lines in chunks, oldest first, read in pages while the stream is consumed; none when nothing was logged
     */
    Stream<LogChunk> read(JobId job);

    /**
     * As {@link #read(JobId)}.
     *
     * @param type the job's type
     * @param id its id
     * @return its lines in chunks
     */
    default Stream<LogChunk> read(String type, String id) {
        return read(new JobId(type, id));
    }

    /**
     * Reads the log of a job, and then what is added to it.
     *
     * @param job the job
     * @param listener called for each chunk once, in order within a claim, on a thread of its own; may take its time; what it
     *     throws is logged
     * @return ends the following
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    Following follow(JobId job, Consumer<LogChunk> listener);

    /**
     * Reads the log of a job as {@link #follow(JobId, Consumer)} does.
     *
     * @param type the job's type
     * @param id its id
     * @param listener called for each chunk once, in order within a claim, on a thread of its own; may take its time; what it
     *     throws is logged
     * @return ends the following
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    default Following follow(String type, String id, Consumer<LogChunk> listener) {
        return follow(new JobId(type, id), listener);
    }

    /** Follows a log until it is closed; the lines that were not told by then never are. Thread-safe. */
    interface Following extends Listening {
        /**
         * Tells the listener all that is in the log by now, and ends the following. The lines of a job are in its log before its
         * end is, so a caller that saw the end gets the whole log.
         *
         * @param longest how long to wait for the listener and the database at most
         * @return whether all was told
         * @throws InterruptedException when interrupted while waiting
         */
        boolean finish(Duration longest) throws InterruptedException;
    }
}
