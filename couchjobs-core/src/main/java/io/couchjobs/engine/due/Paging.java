package io.couchjobs.engine.due;

import io.couchjobs.couch.ViewQuery.Update;
import io.couchjobs.engine.index.DuePlace;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Decides how the windows of one line are read: how many rows, and whether a stale index is good enough. Not thread-safe. */
final class Paging {
    private static final int MOST = 2_000;
    private static final int GROWTH = 4;
    private static final int BATCHES = 4;
    private static final long MOST_CHARACTERS = 4_000_000;
    private static final Duration FAST = Duration.ofSeconds(2);
    private static final int SAMPLE = 20;
    /** The number of documents that are read while their size is unknown. */
    private static final int UNKNOWN = 500;

    private int size = WindowReader.FIRST;
    private int affordable = UNKNOWN;
    private long readNanos = Long.MIN_VALUE;
    private long updatedNanos;
    private long stuckNanos;
    private boolean standsStill;
    /** Whether several workers together use up windows fast. */
    private boolean isBusy;

    private @Nullable CompletableFuture<Void> underWay;

    /**
     * Returns how many jobs to read.
     *
     * @param wanted the most jobs that are claimed at once
     */
    int size(int wanted) {
        return Math.max(size, Math.min(wanted, affordable));
    }

    /** Returns whether so many jobs are needed that reading ahead is worth it. */
    boolean isGrown(int wanted) {
        return isBusy || size(wanted) > WindowReader.FIRST;
    }

    /** Returns whether a window can begin where the last one ended. A server may be unable to read on from there. */
    boolean goesOn() {
        return !standsStill;
    }

    /** Returns the read in the background; null when there is none. */
    @Nullable
    CompletableFuture<Void> underWay() {
        return underWay;
    }

    void underWay(@Nullable CompletableFuture<Void> reading) {
        underWay = reading;
    }

    /**
     * Returns whether the index is updated after the next window, or was updated recently enough. No caller waits for
     * the update.
     */
    Update update(long nanos, Duration every) {
        if (nanos - updatedNanos < every.toNanos()) {
            return Update.FALSE;
        }
        updatedNanos = nanos;
        return Update.LAZY;
    }

    /** Returns whether the stuck jobs, which come before all others, must be read again. */
    boolean isTimeForStuck(long nanos, Duration every) {
        return nanos - stuckNanos >= every.toNanos();
    }

    /** Notes that the stuck jobs were read. */
    void readStuck(long nanos) {
        stuckNanos = nanos;
    }

    /** Takes in the size of the documents, and how fast windows are used up. */
    void read(JobIndex.Window window, Optional<DuePlace> from, long nanos, int wanted, int workers) {
        List<Job> jobs = window.jobs();
        if (from.isPresent() && window.end().isPresent() && !window.complete()) {
            standsStill = window.end().get().compareTo(from.get()) <= 0;
        }
        if (from.isEmpty()) {
            updatedNanos = nanos;
        }
        boolean isFast = readNanos != Long.MIN_VALUE && nanos - readNanos < FAST.toNanos();
        readNanos = nanos;
        isBusy |= workers > 1 && isFast && !window.complete();
        int useful = Math.max(WindowReader.FIRST, Math.min(MOST, BATCHES * wanted));
        int grown = isFast && !window.complete() ? Math.max(size, Math.min(size * GROWTH, useful)) : size;
        if (!jobs.isEmpty()) {
            affordable = Math.max(SAMPLE, affordable(jobs));
        }
        size = Math.min(isFast || size > WindowReader.FIRST ? grown : size, jobs.isEmpty() ? size : affordable);
    }

    private static int affordable(List<Job> jobs) {
        long characters = jobs.stream()
                .limit(SAMPLE)
                .mapToLong(job -> job.document().toString().length())
                .sum();
        long average = jobs.isEmpty() ? 1 : Math.max(1, characters / Math.min(SAMPLE, jobs.size()));
        return (int) Math.min(MOST, MOST_CHARACTERS / average);
    }
}
