package io.couchjobs.cli.top;

import io.couchjobs.DocumentChange;
import io.couchjobs.dashboard.view.CountedEnds;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Counts the runs that ended in each of the last seconds. Thread-safe; the thread of the feed calls it. */
final class Meter implements DocumentChange.Listener {
    static final int SECONDS = 60;
    /** The number of whole seconds over which a rate is averaged. */
    private static final int MEAN = 5;

    private static final long NANOS = 1_000_000_000L;

    private final LongSupplier nanos;
    private final long start;
    private final long[][] ended = new long[3][SECONDS + 1];
    private long newest;
    private final CountedEnds counted = new CountedEnds();

    Meter(LongSupplier nanos) {
        this.nanos = nanos;
        this.start = nanos.getAsLong();
    }

    /**
     * The recent rates at which runs ended.
     *
     * @param succeeded runs that succeeded
     * @param retried runs that failed and are retried
     * @param failed jobs that failed for good
     * @param history how many runs ended in each of the last seconds, oldest first
     */
    record Rates(double succeeded, double retried, double failed, List<Long> history) {
        static final Rates UNKNOWN = new Rates(0, 0, 0, List.of());

        Rates {
            history = List.copyOf(history);
        }
    }

    @Override
    public void changed(DocumentChange change) {
        change.job().ifPresent(this::note);
    }

    @Override
    public void gap() {
        // changes that were missed are not counted
    }

    synchronized void note(Job job) {
        int kind = kind(job.status());
        Instant end = kind < 0 ? null : job.times().get(job.status() == JobStatus.STUCK ? "failed" : "finished");
        if (end != null && counted.add(job.id().docId(), end.toEpochMilli())) {
            ended[kind][(int) (turnTo(second()) % (SECONDS + 1))]++;
        }
    }

    private static int kind(JobStatus status) {
        return switch (status) {
            case SUCCESS -> 0;
            case STUCK -> 1;
            case FAILED -> 2;
            case WAITING, SCHEDULED, RUNNING, CANCELLED -> -1;
        };
    }

    /** Returns the rates of whole seconds only, because the present second has not ended. */
    synchronized Rates rates() {
        long now = turnTo(second());
        long whole = Math.min(now, SECONDS);
        List<Long> history = new ArrayList<>();
        for (long second = now - whole; second < now; second++) {
            int slot = (int) (second % (SECONDS + 1));
            history.add(ended[0][slot] + ended[1][slot] + ended[2][slot]);
        }
        return new Rates(mean(0, now), mean(1, now), mean(2, now), history);
    }

    private double mean(int kind, long now) {
        long whole = Math.min(now, MEAN);
        long sum = 0;
        for (long second = now - whole; second < now; second++) {
            sum += ended[kind][(int) (second % (SECONDS + 1))];
        }
        return whole == 0 ? 0 : (double) sum / whole;
    }

    private long second() {
        return (nanos.getAsLong() - start) / NANOS;
    }

    /** Clears the counts of the seconds that have begun since the last call. */
    private long turnTo(long second) {
        for (long next = Math.max(newest + 1, second - SECONDS); next <= second; next++) {
            for (long[] of : ended) {
                of[(int) (next % (SECONDS + 1))] = 0;
            }
        }
        newest = Math.max(newest, second);
        return second;
    }
}
