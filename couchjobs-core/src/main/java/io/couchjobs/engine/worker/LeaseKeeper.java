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
 * Renews the leases of a worker's jobs, and halts the runs whose leases have run out. Thread-safe.
 *
 * <p>One write of the registration document every third of the shortest timeout renews all leases. A worker writes the document
 * at least every five minutes, even without jobs, because monitors delete a registration that does not change. A lease counts
 * from the moment the last confirmed write was <em>sent</em>, on this process's own monotonic clock. When the lease of a job
 * has run out, its run is halted for good. Activity monitors are always later, because they count from when they <em>saw</em>
 * that write. A renewal that is confirmed too late does not restore a lease, because a monitor may have expired the claim in
 * between. The monotonic clock of a suspended machine stands still. So a lease is also over when the time of day has gained
 * half of the timeout on the monotonic clock.
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
    /** Separate from the renewals: a renewal that hangs must not delay the end of a lease. */
    private final Lane checks;
    /** Reads settings: a server that does not answer must not delay the renewals and checks. */
    private final Lane asker;

    private final Alarm beating;
    private final Alarm checking;
    private final Alarm asking;
    /** When the last sign of life was sent. */
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

    /** Registers the worker. A worker that is not started here is registered by its first renewal. */
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

    /** Plans renewals and checks of the lease of a run that has begun. A short run ends before its first renewal. */
    void begun(LeaseHolder run) {
        lookWithin(timeoutOf(run));
    }

    /** Plans the next renewal and check sooner, because a timeout may have become shorter. */
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

    /** Writes a sign of life if one is due. The jobs for which it was planned may have ended. */
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

    /** {@return the longest wait for a renewal; a renewal that hangs must leave time for another one} */
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

    /**
     * Returns the last known timeout of a run's type. If it is no longer certain after a gap in the feed, it is read again in
     * the background.
     */
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
