package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.job.Listening;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Does for a process that claims jobs by hand what a worker does for its own: it renews the leases, takes part in the resolution of
 * conflicts, and sets jobs of dead owners free. Thread-safe.
 */
public final class HandClaims implements AutoCloseable {
    private final QueueParts parts;
    private final String client;
    private final boolean renewsLeases;
    private final Map<String, Held> held = new ConcurrentHashMap<>();
    private final Collection<String> types = ConcurrentHashMap.newKeySet();
    private @Nullable Begun begun;
    private boolean closed;

    /** All that runs from the first claim on. */
    private record Begun(ActivityMonitor monitor, Registration registration, LeaseKeeper leases, Listening resolving) {}

    /**
     * Prepares it. No I/O.
     *
     * @param parts what it works with
     * @param client the id that the locks of this process's jobs carry
     * @param renewsLeases false when its owners renew the leases themselves; then it judges their claims as other processes do
     */
    public HandClaims(QueueParts parts, String client, boolean renewsLeases) {
        this.parts = parts;
        this.client = client;
        this.renewsLeases = renewsLeases;
    }

    /**
     * Starts to watch the jobs of all owners, this process among them, unless it does so already.
     *
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
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
        ActivityMonitor monitor = new ActivityMonitor(parts, client, job -> true);
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

    /** Looks after these jobs from now on, until their claims end. */
    public synchronized void hold(List<LeasedJob> claims) {
        if (begun != null) {
            claims.forEach(claim -> hold(claim, begun.leases()));
        }
    }

    private void hold(LeasedJob claim, LeaseKeeper leases) {
        Held run = new Held(
                claim, new LeaseTimeout(parts.settings().timeoutOf(claim.id().type()), claim.confirmedNanos()));
        held.put(claim.token(), run);
        claim.whenEnded(run::halt);
        if (renewsLeases) {
            leases.begun(run);
        }
    }

    /** Ends all of it for good. What is owned still is lost when its lease is over. */
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

    /** A claim whose lease is renewed. Its owner learns by its next call that it was halted. */
    private final class Held implements LeaseHolder {
        private final LeasedJob claim;
        private final LeaseTimeout timeout;

        Held(LeasedJob claim, LeaseTimeout timeout) {
            this.claim = claim;
            this.timeout = timeout;
        }

        @Override
        public LeasedJob claim() {
            return claim;
        }

        @Override
        public LeaseTimeout timeout() {
            return timeout;
        }

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
