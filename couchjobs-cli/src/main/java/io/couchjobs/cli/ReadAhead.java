package io.couchjobs.cli;

import io.couchjobs.cli.input.JobLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a file in batches, in constant memory. A separate thread reads them, because a blocked read from a pipe
 * cannot be ended. Thread-safe.
 *
 * @param <J> the form in which the file has jobs
 */
final class ReadAhead<J> {
    private static final int BATCH = 500;
    private static final int BATCH_CHARACTERS = 2 * 1024 * 1024;
    /** The time after which {@link #next} returns a batch that is not full. */
    private static final long PATIENCE_MILLIS = 200;

    private final Predicate<J> wanted;
    private final FutureTask<Boolean> reading;
    private List<JobLine<J>> batch = new ArrayList<>();
    private int characters;
    private long leftOut;
    private long last;
    private boolean stopped;

    /** The lines of a file. */
    interface Lines<J> {
        /** {@return the next line; empty at the end} */
        Optional<JobLine<J>> next() throws IOException;
    }

    /**
     * Consecutive lines.
     *
     * @param lines the lines with a wanted job, and the bad lines
     * @param leftOut the number of other lines
     * @param last the number of the last line
     */
    record Batch<J>(List<JobLine<J>> lines, long leftOut, long last) {
        boolean isEmpty() {
            return lines.isEmpty() && leftOut == 0;
        }
    }

    private ReadAhead(Lines<J> lines, Predicate<J> wanted) {
        this.wanted = wanted;
        reading = new FutureTask<>(() -> readAll(lines)) {
            @Override
            protected void done() {
                wake();
            }
        };
    }

    /** Starts reading. The thread that reads calls {@code wanted}. */
    static <J> ReadAhead<J> of(Lines<J> lines, Predicate<J> wanted) {
        ReadAhead<J> ahead = new ReadAhead<>(lines, wanted);
        Thread thread = new Thread(ahead.reading, "reader");
        thread.setDaemon(true);
        thread.start();
        return ahead;
    }

    private boolean readAll(Lines<J> lines) throws IOException, InterruptedException {
        awaitRoom();
        for (Optional<JobLine<J>> line = lines.next(); line.isPresent(); line = lines.next()) {
            add(line.get());
            awaitRoom();
        }
        return true;
    }

    private synchronized void awaitRoom() throws InterruptedException {
        while (isFull() || stopped) {
            wait();
        }
    }

    private synchronized void add(JobLine<J> line) {
        last = line.number();
        if (line.job().filter(job -> !wanted.test(job)).isPresent()) {
            leftOut++;
            return;
        }
        batch.add(line);
        characters += line.length();
        if (isFull()) {
            notifyAll();
        }
    }

    private boolean isFull() {
        return batch.size() == BATCH || characters > BATCH_CHARACTERS;
    }

    private boolean isEmpty() {
        return batch.isEmpty() && leftOut == 0;
    }

    /**
     * {@return the next lines: fewer than a full batch when no more come for a while, and none at the end}
     *
     * @throws IOException when the file cannot be read further
     */
    synchronized Batch<J> next() throws IOException {
        try {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
            while (!isFull() && !stopped && !reading.isDone() && (isEmpty() || System.nanoTime() - until < 0)) {
                wait(PATIENCE_MILLIS);
            }
            if (isEmpty() && reading.isDone()) {
                reading.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.INTERRUPTED, "interrupted");
        } catch (ExecutionException e) {
            throw trouble(e.getCause());
        }
        Batch<J> taken = new Batch<>(batch, leftOut, last);
        batch = new ArrayList<>();
        characters = 0;
        leftOut = 0;
        notifyAll();
        return taken;
    }

    private static IOException trouble(@Nullable Throwable cause) {
        if (cause instanceof RuntimeException ours) {
            throw ours;
        }
        return cause instanceof IOException unreadable ? unreadable : new IOException(cause);
    }

    /** Stops reading. {@link #next} still returns the lines that have been read. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    private synchronized void wake() {
        notifyAll();
    }

    /** {@return whether reading was stopped before the end of the file} */
    synchronized boolean isCutShort() {
        return stopped && !reading.isDone();
    }
}
