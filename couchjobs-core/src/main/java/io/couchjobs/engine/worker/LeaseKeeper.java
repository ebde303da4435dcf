package io.couchjobs.engine.worker;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.time.ServerClock;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of a worker's jobs, and gives them up when it cannot. Thread-safe.
 *
 * <p>One write of the registration document every third of the shortest timeout renews all leases. A worker writes it every five
 * minutes at least, whatever it runs: monitors clean up a registration that does not move. A lease counts from the moment the
 * last confirmed write was <em>sent</em>, on this process's own monotonic
 * clock, and a job whose lease has run out is halted, for good: the activity monitors, which count from when they
 * <em>saw</em> that write, are always later. A renewal that is confirmed too late does not bring a lease back, because
 * a monitor may have looked in between. The monotonic clock of a suspended machine stands still, so a lease is over,
 * too, when the time of day has gone ahead of it by half of the timeout.
 */
final class LeaseKeeper implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LONGEST_BEAT = Duration.ofMinutes(5);

    private final Registration registration;
    private final Collection<? extends LeaseHolder> runs;
    private final SettingsStore settings;
    private final ServerClock clock;
    private final Lane lane;
    /** A renewal that hangs must not delay the end of a lease. */
    private final Lane checks;
    /** A server that does not answer must not keep the leases waiting. */
    private final Lane asker;

    private final Alarm beating;
    private final Alarm checking;
    private final Alarm asking;
    /** When the last sign of life was given. */
    private volatile long beatNanos;
    /** How long after the last sign of life readers expect the next one. */
    private volatile Duration promised = LONGEST_BEAT;

    private volatile boolean isRegistered;
    private boolean troubled;

    LeaseKeeper(
            Registration registration,
            Collection<? extends LeaseHolder> runs,
            SettingsStore settings,
            ServerClock clock,
            Environment environment) {
        this.registration = registration;
        this.runs = runs;
        this.settings = settings;
        this.clock = clock;
        this.lane = environment.lane("couchjobs-leases", 1);
        this.checks = environment.lane("couchjobs-leases-check", 1);
        this.asker = environment.lane("couchjobs-leases-settings", 1);
        this.beating = new Alarm(lane, this::beatIfNeeded);
        this.checking = new Alarm(checks, this::check);
        this.asking = new Alarm(asker, this::ask);
    }

    /** Registers the worker. Without this it is registered by its first renewal. */
    void start() {
        beatNanos = clock.nanos();
        try {
            registration.beat(0, clock.instant(), LONGEST_BEAT, PATIENCE);
        } catch (CouchException lost) {
            if (!lost.outcomeUnknown()) {
                throw lost;
            }
            registration.beat(0, clock.instant(), LONGEST_BEAT, PATIENCE);
        }
        isRegistered = true;
        beating.within(LONGEST_BEAT);
    }

    /** Looks after the lease of a run that has begun. A short job is done before its lease needs a renewal. */
    void begun(LeaseHolder run) {
        lookWithin(timeoutOf(run));
    }

    /** Looks after leases sooner than planned: a timeout has become shorter. */
    void hurry() {
        if (!runs.isEmpty()) {
            lookWithin(shortestTimeout());
        }
    }

    private void lookWithin(Duration timeout) {
        beating.within(timeout.dividedBy(3));
        checking.within(timeout.dividedBy(10));
    }

    @Override
    public void close() {
        asker.close();
        checks.close();
        lane.close();
        try {
            boolean unused = lane.awaitEnd(Duration.ofSeconds(5));
            registration.remove();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.debug("the registration stays behind, which harms nobody: {}", e.toString());
        }
    }

    /** The jobs that this beat was planned for may have ended. */
    private void beatIfNeeded() {
        if (!runs.isEmpty()) {
            beat();
        } else if (isRegistered) {
            Duration left = promised.minusNanos(clock.nanos() - beatNanos);
            if (left.isZero() || left.isNegative()) {
                beat();
            } else {
                beating.within(left);
            }
        }
    }

    private void beat() {
        try {
            writeBeat();
            beating.within(nextBeat());
        } catch (RuntimeException | Error e) {
            warnOnce(e);
            beating.within(Environment.shorter(shortestTimeout().dividedBy(10), PATIENCE));
        }
    }

    /** A renewal that hangs must leave time for another. */
    private Duration patience() {
        return Environment.shorter(shortestTimeout().dividedBy(3), PATIENCE);
    }

    private Duration nextBeat() {
        return Environment.shorter(shortestTimeout().dividedBy(3), LONGEST_BEAT);
    }

    private void writeBeat() {
        long sent = clock.nanos();
        promised = nextBeat();
        boolean confirmed = registration.beat(runs.size(), clock.instant(), promised, patience());
        beatNanos = sent;
        giveUpExpired();
        isRegistered = true;
        if (confirmed) {
            confirm(sent);
        } else if (!runs.isEmpty()) {
            throw new CouchJobsException("no quorum confirmed the renewal");
        }
    }

    private synchronized void confirm(long sent) {
        runs.stream().filter(run -> !run.isHalted()).forEach(run -> run.claim().renewed(sent));
        if (troubled) {
            log.info("the leases are renewed again");
            troubled = false;
        }
    }

    private void check() {
        if (runs.isEmpty()) {
            return;
        }
        try {
            giveUpExpired();
        } catch (RuntimeException | Error e) {
            warnOnce(e);
        }
        checking.within(shortestTimeout().dividedBy(10));
    }

    private void giveUpExpired() {
        for (LeaseHolder run : runs) {
            long confirmed = run.claim().confirmedNanos();
            Duration timeout = timeoutOf(run);
            long since = settings.silentSince(run.claim().id().type(), confirmed);
            if (clock.stoodStill(confirmed, timeout)) {
                giveUp(
                        run,
                        "this machine was suspended, or its time of day was set forward; the lease of {} may be over");
            } else if (clock.nanos() - since > timeout.toNanos()) {
                giveUp(run, "the lease of {} could not be renewed for " + Duration.ofNanos(clock.nanos() - confirmed));
            }
        }
    }

    private static void giveUp(LeaseHolder run, String why) {
        if (!run.isHalted()) {
            log.warn(
                    why + "; its owner must stop, and another worker will run the job",
                    run.claim().id());
            run.halt();
        }
    }

    private Duration shortestTimeout() {
        return runs.stream().map(this::timeoutOf).min(Comparator.naturalOrder()).orElse(Environment.FOREVER);
    }

    /** The settings are known since the claim; after a gap they are read again, and until that works the last one holds. */
    private Duration timeoutOf(LeaseHolder run) {
        String type = run.claim().id().type();
        if (!settings.isKnown(type)) {
            asking.within(Duration.ZERO);
        }
        return settings.lastTimeoutOf(type);
    }

    private void ask() {
        try {
            runs.forEach(run -> settings.timeoutOf(run.claim().id().type()));
        } catch (RuntimeException unknownNow) {
            log.debug("the settings of types cannot be read; the last known timeouts hold", unknownNow);
        }
    }

    private synchronized void warnOnce(Throwable trouble) {
        if (!troubled) {
            log.warn("the leases cannot be renewed, trying again until they run out: {}", trouble.getMessage());
            troubled = true;
        }
    }
}
