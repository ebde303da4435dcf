package io.couchjobs.worker;

import io.couchjobs.problem.CouchJobsException;
import io.couchjobs.store.SettingsStore;
import io.couchjobs.store.StoreClock;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of a worker's jobs, and gives them up when it cannot. Thread-safe.
 *
 * <p>One write of the registration document every third of the shortest timeout renews all leases; nothing is written while
 * nothing runs. A lease counts from the moment the last confirmed write was <em>sent</em>, on this process's own monotonic
 * clock, and a job whose lease has run out is halted, for good: the activity monitors, which count from when they
 * <em>saw</em> that write, are always later. A renewal that is confirmed too late does not bring a lease back, because a
 * monitor may have looked in between.
 */
final class LeaseKeeper implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
    private static final Duration IDLE = Duration.ofSeconds(1);
    private static final Duration IDLE_BEAT = Duration.ofMinutes(5);
    private static final Duration SHORTEST_CHECK = Duration.ofMillis(10);

    private final Registration registration;
    private final Collection<Run> runs;
    private final SettingsStore settings;
    private final StoreClock clock;
    private final ScheduledExecutorService threads;
    private final AtomicBoolean renewing = new AtomicBoolean();
    private final AtomicBoolean checking = new AtomicBoolean();
    private long confirmedNanos;
    private boolean troubled;

    LeaseKeeper(Registration registration, Collection<Run> runs, SettingsStore settings, StoreClock clock) {
        this.registration = registration;
        this.runs = runs;
        this.settings = settings;
        this.clock = clock;
        this.confirmedNanos = clock.nanos();
        this.threads = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "couchjobs-leases");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Registers the worker. An idle one tells now and then that it lives, so that its registration is not cleaned up. */
    void start() {
        registration.beat(0, clock.instant());
        again(this::beatWhileIdle, IDLE_BEAT);
    }

    /** Begins to look after leases, if it was idle. A short job is done before its lease needs a renewal. */
    void runStarted() {
        if (!renewing.getAndSet(true)) {
            again(this::renew, shortestTimeout().dividedBy(3));
        }
        if (!checking.getAndSet(true)) {
            again(this::check, shortestTimeout().dividedBy(10));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            threads.awaitTermination(5, TimeUnit.SECONDS);
            registration.remove();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.debug("the registration stays behind, which harms nobody: {}", e.toString());
        }
    }

    private void renew() {
        if (isIdle(renewing)) {
            return;
        }
        try {
            beat();
            again(this::renew, shortestTimeout().dividedBy(3));
        } catch (RuntimeException | Error e) {
            warnOnce(e);
            again(this::renew, shortestTimeout().dividedBy(10));
        }
    }

    private void beatWhileIdle() {
        try {
            if (runs.isEmpty()) {
                registration.beat(0, clock.instant());
            }
        } catch (RuntimeException | Error e) {
            warnOnce(e);
        } finally {
            again(this::beatWhileIdle, IDLE_BEAT);
        }
    }

    private void beat() {
        long sent = clock.nanos();
        boolean confirmed = registration.beat(runs.size(), clock.instant());
        giveUpExpired();
        if (confirmed) {
            confirm(sent);
        } else {
            throw new CouchJobsException("no quorum confirmed the renewal");
        }
    }

    private synchronized void confirm(long sent) {
        confirmedNanos = sent;
        if (troubled) {
            log.info("the leases are renewed again");
            troubled = false;
        }
    }

    private void check() {
        if (isIdle(checking)) {
            return;
        }
        try {
            giveUpExpired();
        } catch (RuntimeException | Error e) {
            warnOnce(e);
        }
        again(this::check, shortestTimeout().dividedBy(10));
    }

    /** Whether there is nothing to look after; a run that begins at this very moment is seen here or starts the loop anew. */
    private boolean isIdle(AtomicBoolean loop) {
        if (!runs.isEmpty()) {
            return false;
        }
        loop.set(false);
        return runs.isEmpty() || loop.getAndSet(true);
    }

    private void giveUpExpired() {
        long confirmed;
        synchronized (this) {
            confirmed = confirmedNanos;
        }
        for (Run run : runs) {
            long since = Math.max(confirmed - run.claim().confirmedNanos(), 0)
                    + run.claim().confirmedNanos();
            Duration silent = Duration.ofNanos(clock.nanos() - since);
            Duration timeout = settings.timeoutOf(run.claim().id().type());
            if (silent.compareTo(timeout) > 0
                    && run.stopReason().filter(StopReason.HALTED::equals).isEmpty()) {
                log.warn(
                        "the lease of {} could not be renewed for {}; its handler is interrupted, another worker will run it",
                        run.claim().id(),
                        silent);
                run.stop(StopReason.HALTED);
            }
        }
    }

    private Duration shortestTimeout() {
        // The settings are known by now: a claim has asked for them.
        return runs.stream()
                .map(run -> settings.timeoutOf(run.claim().id().type()))
                .min(Comparator.naturalOrder())
                .orElse(IDLE);
    }

    private void again(Runnable task, Duration pause) {
        long nanos = Math.max(pause.toNanos(), SHORTEST_CHECK.toNanos());
        if (!threads.isShutdown()) {
            Future<?> unused = threads.schedule(task, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private synchronized void warnOnce(Throwable trouble) {
        if (!troubled) {
            log.warn("the leases cannot be renewed, trying again until they run out: {}", trouble.getMessage());
            troubled = true;
        }
    }
}
