package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.document.StoredText;
import io.couchjobs.engine.log.JobLogs;
import io.couchjobs.job.Job;
import io.couchjobs.job.Logs;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one run, which collects lines and stores them in chunks. It never makes the handler wait. When lines come faster
 * than they can be written, the oldest unwritten lines are dropped, and their number is recorded. Thread-safe.
 */
final class RunLog {
    private static final Logger log = LoggerFactory.getLogger(RunLog.class);

    /** The greatest number of lines that wait to be stored. */
    static final int MOST_LINES = 1_000;
    /** The greatest number of chunks that a run may write. */
    static final int MOST_CHUNKS = 1_000;

    private static final int MOST_CHARACTERS = 256 * 1024;
    private static final int LONGEST_LINE = 8 * 1024;

    private final LeasedJob claim;
    private final JobLogs logs;
    private final InstantSource clock;
    private final Deque<Logs.Chunk.Line> waiting = new ArrayDeque<>();
    /** Chunks that may not have arrived. They are sent again unchanged, so they cannot be stored twice. */
    private final Deque<Logs.Chunk> failed = new ArrayDeque<>();

    private CompletableFuture<Void> underWay = CompletableFuture.allOf();
    private boolean isAbandoned;
    private int characters;
    private int inFlight;
    private long dropped;
    private long chunks;

    RunLog(LeasedJob claim, JobLogs logs, InstantSource clock) {
        this.claim = claim;
        this.logs = logs;
        this.clock = clock;
    }

    synchronized void add(String text) {
        if (chunks == MOST_CHUNKS || isAbandoned) {
            return;
        }
        String line = StoredText.of(text, LONGEST_LINE);
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

    /** Sends the collected lines, unless a chunk is on its way. Does not wait for the answer. */
    synchronized void flush() {
        if (inFlight > 0) {
            return;
        } else if (failed.isEmpty()) {
            flushAll();
        } else {
            sendFailed(); // lines are collected meanwhile, and dropped when there are too many
        }
    }

    /** Sends all failed chunks and collected lines, before the caller's next write. */
    synchronized void flushAll() {
        sendFailed();
        if (!waiting.isEmpty()) {
            if (++chunks == MOST_CHUNKS) {
                waiting.add(line("the log of this run is full; what comes is not stored"));
            }
            Logs.Chunk chunk = new Logs.Chunk(claim.id(), chunks, List.copyOf(waiting), dropped);
            waiting.clear();
            characters = 0;
            dropped = 0;
            send(chunk);
        }
    }

    private void sendFailed() {
        List<Logs.Chunk> again = List.copyOf(failed);
        failed.clear();
        again.forEach(this::send);
    }

    /**
     * Stops storing lines. If the job of the lost claim is deleted, deletes the log of that claim. Waits for pending writes
     * first.
     */
    void abandon() {
        CompletableFuture<Void> last = drop();
        try {
            last.join();
            logs.deleteOrphans(claim.id(), claim.fence());
        } catch (RuntimeException trouble) {
            log.debug("what {} logged may be left in the database: {}", claim.id(), trouble.toString());
        }
    }

    private synchronized CompletableFuture<Void> drop() {
        isAbandoned = true;
        waiting.clear();
        failed.clear();
        return underWay;
    }

    private Logs.Chunk.Line line(String text) {
        Job job = claim.job();
        return new Logs.Chunk.Line(job.fence(), job.attempt(), clock.instant(), text);
    }

    private void send(Logs.Chunk chunk) {
        inFlight++;
        CompletableFuture<?> answer = logs.append(chunk).handle((written, trouble) -> answered(chunk, trouble == null));
        underWay = CompletableFuture.allOf(underWay, answer);
    }

    private synchronized boolean answered(Logs.Chunk chunk, boolean arrived) {
        inFlight--;
        if (inFlight == 0) {
            underWay = CompletableFuture.allOf();
        }
        if (!arrived && !isAbandoned) {
            failed.add(chunk);
        }
        return arrived;
    }
}
