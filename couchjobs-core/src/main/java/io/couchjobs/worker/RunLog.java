package io.couchjobs.worker;

import io.couchjobs.job.Job;
import io.couchjobs.store.ClaimedJob;
import io.couchjobs.store.JobLogs;
import io.couchjobs.store.LogChunk;
import io.couchjobs.store.LogLine;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The log of one run: lines gather here, and go to the database in chunks. Never makes the handler wait: what comes faster than
 * it can be written pushes the oldest unwritten lines out, and their number is noted. Thread-safe.
 */
final class RunLog {
    /** How many lines wait for the database at most. */
    static final int MOST_LINES = 1_000;
    /** How many chunks a run may write. */
    static final int MOST_CHUNKS = 1_000;

    private static final int MOST_CHARACTERS = 256 * 1024;
    private static final int LONGEST_LINE = 8 * 1024;

    private final ClaimedJob claim;
    private final JobLogs logs;
    private final InstantSource clock;
    private final Deque<LogLine> waiting = new ArrayDeque<>();
    /** Chunks that may not have arrived; they are sent again as they were, which cannot store them twice. */
    private final Deque<LogChunk> failed = new ArrayDeque<>();

    private int characters;
    private int inFlight;
    private long dropped;
    private long chunks;

    RunLog(ClaimedJob claim, JobLogs logs, InstantSource clock) {
        this.claim = claim;
        this.logs = logs;
        this.clock = clock;
    }

    synchronized void add(String text) {
        if (chunks == MOST_CHUNKS) {
            return;
        }
        String line = text.length() <= LONGEST_LINE ? text : text.substring(0, LONGEST_LINE) + "...";
        waiting.add(line(line));
        characters += line.length();
        while (waiting.size() > MOST_LINES || characters > MOST_CHARACTERS) {
            characters -= waiting.remove().text().length();
            dropped++;
        }
    }

    synchronized boolean hasLinesToWrite() {
        return !waiting.isEmpty() || !failed.isEmpty();
    }

    /** Sends what has gathered, unless something is on its way; does not wait for the answer. */
    synchronized void flush() {
        if (inFlight == 0) {
            flushAll();
        }
    }

    /** Sends all there is, before what the caller writes next. */
    synchronized void flushAll() {
        while (!failed.isEmpty()) {
            send(failed.remove());
        }
        if (!waiting.isEmpty()) {
            if (++chunks == MOST_CHUNKS) {
                waiting.add(line("the log of this run is full; what comes is not stored"));
            }
            LogChunk chunk = new LogChunk(claim.id(), chunks, List.copyOf(waiting), dropped);
            waiting.clear();
            characters = 0;
            dropped = 0;
            send(chunk);
        }
    }

    private LogLine line(String text) {
        Job job = claim.job();
        return new LogLine(job.fence(), job.attempt(), clock.instant(), text);
    }

    private void send(LogChunk chunk) {
        inFlight++;
        var unused = logs.append(chunk).whenComplete((answer, trouble) -> answered(chunk, trouble == null));
    }

    private synchronized void answered(LogChunk chunk, boolean arrived) {
        inFlight--;
        if (!arrived) {
            failed.add(chunk);
        }
        if (failed.size() > 2) {
            failed.remove();
        }
    }
}
