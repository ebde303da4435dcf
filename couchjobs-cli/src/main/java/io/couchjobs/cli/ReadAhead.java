package io.couchjobs.cli;

import io.couchjobs.cli.input.JobLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a file in batches, in constant memory. A thread of its own reads them, because nothing ends the read of a pipe that
 * gives nothing. Thread-safe.
 *
 * @param <J> how the file has jobs
 */
final class ReadAhead<J> {
    private static final int BATCH = 500;
    private static final int BATCH_CHARACTERS = 2 * 1024 * 1024;
    /** After this time a batch is given that is not full. */
    private static final long PATIENCE_MILLIS = 200;

    private final FutureTask<Boolean> reading;
    private List<JobLine<J>> batch = new ArrayList<>();
    private int characters;
    private boolean stopped;

    /** The lines of a file. */
    interface Lines<J> {
        /** {@return the next line; empty at the end} */
        Optional<JobLine<J>> next() throws IOException;
    }

    private ReadAhead(Lines<J> lines) {
        reading = new FutureTask<>(() -> readAll(lines)) {
            @Override
            protected void done() {
                wake();
            }
        };
    }

    /** Begins to read. */
    static <J> ReadAhead<J> of(Lines<J> lines) {
        ReadAhead<J> ahead = new ReadAhead<>(lines);
        Thread thread = new Thread(ahead.reading, "reader");
        thread.setDaemon(true);
        thread.start();
        return ahead;
    }

    private boolean readAll(Lines<J> lines) throws IOException, InterruptedException {
        for (Optional<JobLine<J>> line = lines.next(); line.isPresent(); line = lines.next()) {
            add(line.get());
        }
        return true;
    }

    private synchronized void add(JobLine<J> line) throws InterruptedException {
        while (isFull() || stopped) {
            wait();
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

    /**
     * {@return the next lines; fewer than a batch when no more come for a while, none at the end}
     *
     * @throws IOException when the file cannot be read further
     */
    synchronized List<JobLine<J>> next() throws IOException {
        try {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
            while (!isFull() && !stopped && !reading.isDone() && (batch.isEmpty() || System.nanoTime() - until < 0)) {
                wait(PATIENCE_MILLIS);
            }
            if (batch.isEmpty() && !stopped) {
                reading.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.INTERRUPTED, "interrupted");
        } catch (ExecutionException e) {
            throw trouble(e.getCause());
        }
        List<JobLine<J>> taken = batch;
        batch = new ArrayList<>();
        characters = 0;
        notifyAll();
        return taken;
    }

    private static IOException trouble(@Nullable Throwable cause) {
        if (cause instanceof RuntimeException ours) {
            throw ours;
        }
        return cause instanceof IOException unreadable ? unreadable : new IOException(cause);
    }

    /** Reads no further; what has been read is still given. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    private synchronized void wake() {
        notifyAll();
    }

    synchronized boolean isStopped() {
        return stopped;
    }
}
