package io.couchjobs.engine.claim;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.time.ServerClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * An owner's right to a job. A lease runs out when no renewal was confirmed for the timeout of the job's type, by this
 * process's monotonic clock. No monitor takes the job earlier, because a monitor counts from when it <em>saw</em> the last
 * renewal. A lease also runs out when the machine was suspended for more than half of the timeout: the monotonic clock
 * stood still, and another worker may own the job. Thread-safe.
 */
public final class Lease {
    private final ServerClock clock;
    private final Supplier<Duration> timeout;
    private final LongUnaryOperator silentSince;
    private final AtomicLong confirmedNanos;
    private volatile Duration length;

    /**
     * Begins a lease.
     *
     * @param timeout the timeout of the job's type, as last known; while it cannot be read, the last value holds
     * @param silentSince the time from which an owner counts as silent, given its last renewal; see {@link
     *     io.couchjobs.engine.settings.SettingsStore#silentSince}
     * @param sentNanos when the confirmed claim was sent, on the monotonic clock
     */
    Lease(ServerClock clock, Supplier<Duration> timeout, LongUnaryOperator silentSince, long sentNanos) {
        this.clock = clock;
        this.timeout = timeout;
        this.silentSince = silentSince;
        this.length = Duration.ofSeconds(Long.MAX_VALUE);
        this.confirmedNanos = new AtomicLong(sentNanos);
    }

    /**
     * Records a confirmed renewal that was sent at the given time. Never waits, because one caller renews the leases of
     * several jobs.
     */
    void renewed(long sentNanos) {
        confirmedNanos.accumulateAndGet(sentNanos, (known, sent) -> sent - known > 0 ? sent : known);
    }

    long confirmedNanos() {
        return confirmedNanos.get();
    }

    /** Returns whether the lease has run out. Reads the timeout, which may take long while the server does not answer. */
    boolean isOver() {
        try {
            length = timeout.get();
        } catch (CouchJobsException unknownNow) {
            // The last value holds.
        }
        long confirmed = confirmedNanos.get();
        Duration silent = Duration.ofNanos(clock.nanos() - silentSince.applyAsLong(confirmed));
        return silent.compareTo(length) > 0 || clock.stoodStill(confirmed, length);
    }
}
