package io.couchjobs.engine.claim;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.time.ServerClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * An owner's right to a job. It runs out when no renewal was confirmed for the timeout of the job's type, by this process's
 * monotonic clock: no monitor takes the job before, since it counts from when it <em>saw</em> the last renewal. It runs
 * out, too, when the machine was suspended for more than half of that time: its monotonic clock stood still, and others
 * may have the job. Thread-safe.
 */
public final class Lease {
    private final ServerClock clock;
    private final Supplier<Duration> timeout;
    private final LongUnaryOperator silentSince;
    private final AtomicLong confirmedNanos;
    private volatile Duration length;

    /**
     * Begins.
     *
     * @param timeout the timeout of the job's type, as last heard of; while it cannot be told, the last one holds
     * @param silentSince the time from which the silence of an owner counts, by its last renewal; see
     *     {@link io.couchjobs.engine.settings.SettingsStore#silentSince}
     * @param sentNanos when the confirmed claim was sent
     */
    Lease(ServerClock clock, Supplier<Duration> timeout, LongUnaryOperator silentSince, long sentNanos) {
        this.clock = clock;
        this.timeout = timeout;
        this.silentSince = silentSince;
        this.length = Duration.ofSeconds(Long.MAX_VALUE);
        this.confirmedNanos = new AtomicLong(sentNanos);
    }

    /** A renewal was confirmed that was sent then. Never waits: the leases of other jobs are renewed with it. */
    void renewed(long sentNanos) {
        confirmedNanos.accumulateAndGet(sentNanos, (known, sent) -> sent - known > 0 ? sent : known);
    }

    long confirmedNanos() {
        return confirmedNanos.get();
    }

    /** Asks for the timeout, which may take long while the server does not answer. */
    boolean isOver() {
        try {
            length = timeout.get();
        } catch (CouchJobsException unknownNow) {
            // The last one holds.
        }
        long confirmed = confirmedNanos.get();
        Duration silent = Duration.ofNanos(clock.nanos() - silentSince.applyAsLong(confirmed));
        return silent.compareTo(length) > 0 || clock.stoodStill(confirmed, length);
    }
}
