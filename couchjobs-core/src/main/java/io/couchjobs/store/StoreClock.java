package io.couchjobs.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The two clocks of a process: the time of day, corrected to the server's (workers with clocks hours apart agree on when a
 * job is due), and a monotonic one for leases (which no clock change can shorten or stretch). Thread-safe.
 */
public final class StoreClock implements InstantSource {
    private final InstantSource local;
    private final Supplier<Duration> skew;
    private final LongSupplier ticker;

    /**
     * Combines the clocks.
     *
     * @param local this machine's time of day
     * @param skew the server's clock minus this machine's, as far as known
     * @param ticker a monotonic clock in nanoseconds, such as {@link System#nanoTime}
     */
    public StoreClock(InstantSource local, Supplier<Duration> skew, LongSupplier ticker) {
        this.local = local;
        this.skew = skew;
        this.ticker = ticker;
    }

    /** {@return the server's time of day, as far as known; whole milliseconds, as documents keep it} */
    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(local.instant().plus(skew.get()).toEpochMilli());
    }

    /** {@return nanoseconds on a monotonic clock with an arbitrary origin} */
    public long nanos() {
        return ticker.getAsLong();
    }
}
