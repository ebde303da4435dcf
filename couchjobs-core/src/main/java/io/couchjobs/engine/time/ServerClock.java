package io.couchjobs.engine.time;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The two clocks of a process. The time of day is corrected to the server's, so that workers with clocks hours apart agree
 * on when a job is due. The monotonic clock is for leases: no clock change can shorten or stretch them. Thread-safe.
 */
public final class ServerClock implements InstantSource {
    private final InstantSource local;
    private final UnaryOperator<Instant> server;
    private final Supplier<Duration> doubt;
    private final Runnable ask;
    private final LongSupplier ticker;
    private final Standstills standstills;

    /**
     * Creates a clock that follows a server's clock.
     *
     * @param local this machine's time of day; it counts while it may be the server's too, or while the server tells no
     *     time
     * @param skew the server's clock minus this machine's at a time of day, as far as known
     * @param doubt how much greater the skew may be at a time of day
     * @param ask asks the server once, which may lessen the doubt
     */
    public ServerClock(
            InstantSource local,
            Function<Instant, Duration> skew,
            Function<Instant, Duration> doubt,
            Runnable ask,
            LongSupplier ticker) {
        this.local = local;
        this.server = time -> time.plus(skew.apply(time));
        this.doubt = () -> doubt.apply(local.instant());
        this.ask = ask;
        this.ticker = ticker;
        this.standstills = new Standstills(local);
    }

    /**
     * Creates a clock for a server that is not asked for its time.
     *
     * @param skew the server's clock minus this machine's, as far as known
     */
    public ServerClock(InstantSource local, Supplier<Duration> skew, LongSupplier ticker) {
        this(local, time -> skew.get(), time -> Duration.ZERO, () -> {}, ticker);
    }

    /** {@return the server's time of day, as far as known, in whole milliseconds, as documents store it} */
    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(server.apply(local.instant()).toEpochMilli());
    }

    /** {@return how much later than {@link #instant} the server's time may be; zero while both clocks agree} */
    public Duration doubt() {
        return doubt.get();
    }

    /**
     * Asks the server once, which may lessen the doubt.
     *
     * @throws io.couchjobs.couch.config.CouchException when the server cannot be asked
     */
    public void ask() {
        ask.run();
    }

    /** {@return nanoseconds on a monotonic clock with an arbitrary origin} */
    public long nanos() {
        long now = ticker.getAsLong();
        standstills.observe(now, ticker);
        return now;
    }

    /**
     * Returns whether the monotonic clock stood still, by this machine's time of day, for more than half of the duration of
     * a lease. The clock stands still while the machine is suspended. Setting the time of day forward looks the same.
     *
     * @param sinceNanos when the lease began, on the clock of {@link #nanos}
     * @param timeout the duration of the lease
     * @return whether the lease is over for this reason
     */
    public boolean stoodStill(long sinceNanos, Duration timeout) {
        var unused = nanos();
        return standstills.since(sinceNanos).compareTo(timeout.dividedBy(2)) > 0;
    }
}
