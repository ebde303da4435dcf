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
 * The jobs that a process claims by {@code accept} or {@code claim}, without a worker. As a worker does for its own jobs, this
 * class renews their leases, takes part in the resolution of conflicts, and recovers jobs from dead owners. Thread-safe.
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

    /** The parts that run from the first claim on. */
    private record Begun(ActivityMonitor monitor, Registration registration, LeaseKeeper leases, Listening resolving) {}

    /**
     * Does no I/O.
     *
     * @param client the id in the locks of this process's jobs
     * @param renewsLeases false when the owners renew the leases themselves; this process then treats its own claims like those
     *     of other processes
     */
    public HandClaims(QueueParts parts, String client, boolean renewsLeases) {
        this.parts = parts;
        this.client = client;
        this.renewsLeases = renewsLeases;
    }

    /** Starts to watch the jobs of all owners, including this process, unless it already does. */
    public synchronized void begin(Collection<String> claimedTypes) {
        boolean areNew = types.addAll(claimedTypes);
        if (begun == null && !closed) {
            begun = start();
        } else if (begun != null && areNew) {
            begun.registration().serves(types);
        }
    }

    /** Starts all parts. The client's id is new in each process, so no former process of this id has left jobs behind. */
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

    /**
     * Returns whether this process's signs of life count for a job. They do not after its claim was given up, because the
     * caller was told.
     */
    private boolean isOurs(JobId job) {
        return !renewsLeases
                || held.values().stream().anyMatch(run -> run.claim().id().equals(job));
    }

    /** Claims due jobs, waits for a due job if there is none, and holds the claims. Returns the jobs that are to be run. */
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
     * Holds these jobs until their claims end. Ends each job that was claimed only to be ended, and returns the other jobs, to
     * be run.
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
     * Ends a job that is not to be run. Its lease is not renewed, so this takes no longer than a lease. Returns empty when the
     * job was lost, or cannot be ended now.
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

    /** Holds a claim without any request, so that a claimed job is handed out even if the server fails now. */
    private void hold(LeasedJob claim, LeaseKeeper leases) {
        Held run = new Held(claim, held);
        keep(run, leases);
        claim.whenEnded(run::halt);
        claim.whenRenewed(() -> keep(run, leases));
    }

    /** Renews the lease of a claim. On one node, a claim that was given up is held again when its owner renews it. */
    private void keep(Held run, LeaseKeeper leases) {
        if (!closed && renewsLeases && held.putIfAbsent(run.claim().token(), run) == null) {
            leases.begun(run);
        }
    }

    /** Stops all parts for good. A job that is still owned is lost when its lease is over. */
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
     * A claim whose lease is renewed. A halted owner learns of the halt by its next call.
     *
     * @param held the claims that are still held, by token
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
