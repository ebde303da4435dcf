package io.couchjobs.engine.worker;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does for a process that claims jobs by hand what a worker does for its own: it renews the leases, takes part in the resolution of
 * conflicts, and sets jobs of dead owners free. Thread-safe.
 */
public final class HandClaims implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HandClaims.class);

    private final QueueParts parts;
    private final String client;
    private final boolean renewsLeases;
    private final Map<String, Held> held = new ConcurrentHashMap<>();
    private final Collection<String> types = ConcurrentHashMap.newKeySet();
    private @Nullable Begun begun;
    private volatile boolean closed;

    /** All that runs from the first claim on. */
    private record Begun(ActivityMonitor monitor, Registration registration, LeaseKeeper leases, Listening resolving) {}

    /**
     * No I/O.
     *
     * @param client the id that the locks of this process's jobs carry
     * @param renewsLeases false when its owners renew the leases themselves; then it judges their claims as other processes do
     */
    public HandClaims(QueueParts parts, String client, boolean renewsLeases) {
        this.parts = parts;
        this.client = client;
        this.renewsLeases = renewsLeases;
    }

    /** Starts to watch the jobs of all owners, this process among them, unless it does so already. */
    public synchronized void begin(Collection<String> claimedTypes) {
        boolean areNew = types.addAll(claimedTypes);
        if (begun == null && !closed) {
            begun = start();
        } else if (begun != null && areNew) {
            begun.registration().serves(types);
        }
    }

    /** Its id is new with each process: no former process of this id left a job behind. */
    private Begun start() {
        ActivityMonitor monitor = new ActivityMonitor(parts, client, this::isOurs);
        monitor.start();
        Registration registration = new Registration(
                        parts.store().database(), client, types, parts.clock().instant())
                .at(parts.store().site());
        LeaseKeeper leases = new LeaseKeeper(
                registration,
                held.values(),
                parts.settings(),
                parts.clock(),
                parts.store().environment());
        Listening resolving = renewsLeases ? parts.store().resolveWith(new Owner(client, held::containsKey)) : () -> {};
        return new Begun(monitor, registration, leases, resolving);
    }

    /** False for a job whose claim was given up: its caller was told, and this process's signs of life no longer count for it. */
    private boolean isOurs(JobId job) {
        return !renewsLeases
                || held.values().stream().anyMatch(run -> run.claim().id().equals(job));
    }

    /** Claims due jobs, waiting for one if there is none, looks after them, and returns those that are to be run. */
    public List<LeasedJob> accept(Finder finder, AcceptOptions options) throws InterruptedException {
        begin(options.types());
        long started = parts.clock().nanos();
        List<LeasedJob> claims;
        List<LeasedJob> toRun;
        do {
            claims = finder.accept(options, started);
            toRun = hold(claims);
        } while (toRun.isEmpty() && !claims.isEmpty());
        return toRun;
    }

    /**
     * Looks after these jobs from now on, until their claims end. A job that is only to be ended is ended here; the others
     * are returned, to be run.
     */
    public List<LeasedJob> hold(List<LeasedJob> claims) {
        List<LeasedJob> toRun =
                claims.stream().filter(claim -> !claim.isOnlyToEnd()).toList();
        synchronized (this) {
            if (begun != null) {
                toRun.forEach(claim -> hold(claim, begun.leases()));
            }
        }
        claims.stream().filter(LeasedJob::isOnlyToEnd).forEach(HandClaims::end);
        return toRun;
    }

    /**
     * Ends a job that is not to be run. Nobody renews its lease, so this takes no longer than a lease. Empty when the job was
     * lost, or cannot be ended now.
     */
    static Optional<Job> end(LeasedJob claim) {
        try {
            return Optional.of(claim.endWithoutRun());
        } catch (HaltException lost) {
            log.debug("{} was lost before it was ended: {}", claim.id(), lost.getMessage());
        } catch (CouchJobsException trouble) {
            log.warn("{} cannot be ended, and its lease runs out: {}", claim.id(), trouble.getMessage());
        }
        return Optional.empty();
    }

    /** No request: a claim that was won is handed out, whatever the server does now. */
    private void hold(LeasedJob claim, LeaseKeeper leases) {
        Held run = new Held(claim, held);
        keep(run, leases);
        claim.whenEnded(run::halt);
        claim.whenRenewed(() -> keep(run, leases));
    }

    /** On one node a claim that was given up is kept again when its owner renews it. */
    private void keep(Held run, LeaseKeeper leases) {
        if (!closed && renewsLeases && held.putIfAbsent(run.claim().token(), run) == null) {
            leases.begun(run);
        }
    }

    /** Ends all of it for good. A job that is still owned is lost when its lease is over. */
    @Override
    public synchronized void close() {
        closed = true;
        if (begun != null) {
            begun.resolving().close();
            begun.monitor().close();
            held.clear();
            begun.leases().close();
        }
    }

    /**
     * A claim whose lease is renewed. Its owner learns by its next call that it was halted.
     *
     * @param held the claims that are held still, by token
     */
    private record Held(LeasedJob claim, Map<String, Held> held) implements LeaseHolder {
        @Override
        public boolean isHalted() {
            return !held.containsKey(claim.token());
        }

        @Override
        public void halt() {
            held.remove(claim.token());
        }
    }
}
