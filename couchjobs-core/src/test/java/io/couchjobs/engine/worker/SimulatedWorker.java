package io.couchjobs.engine.worker;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.schedule.Scheduler;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.job.JobId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** What a worker does beside running jobs: it tells that it lives, keeps its leases, and looks after those that are dead. */
public final class SimulatedWorker {
    private final Collection<Held> held = new CopyOnWriteArrayList<>();
    private final LeaseKeeper leases;
    private final QueueParts parts;
    private final String worker;
    private final Predicate<String> holds;
    private final Registration registration;
    private final ActivityMonitor monitor;
    private CompletableFuture<Boolean> beating = CompletableFuture.completedFuture(true);

    /**
     * A worker.
     *
     * @param runs whether it runs a job now
     * @param holds whether it has a claim, by its token
     */
    public SimulatedWorker(
            QueueParts parts, String worker, String type, Predicate<JobId> runs, Predicate<String> holds) {
        this.parts = parts;
        this.worker = worker;
        this.holds = holds;
        this.registration = new Registration(
                parts.store().database(), worker, List.of(type), parts.clock().instant(), 1);
        this.monitor = new ActivityMonitor(parts, worker, runs);
        this.leases = new LeaseKeeper(
                registration,
                held,
                parts.settings(),
                parts.clock(),
                parts.store().environment());
    }

    /** A claim and what happens when its lease is over. */
    private static final class Held implements LeaseHolder {
        private final LeasedJob claim;
        private final Runnable halt;
        private boolean halted;

        Held(LeasedJob claim, Runnable halt) {
            this.claim = claim;
            this.halt = halt;
        }

        @Override
        public LeasedJob claim() {
            return claim;
        }

        @Override
        public boolean isHalted() {
            return halted;
        }

        @Override
        public void halt() {
            halted = true;
            halt.run();
        }
    }

    /** Registers, and keeps leases from now on. */
    public void register() {
        leases.start();
    }

    /** Keeps the lease of a claim. */
    public void keep(LeasedJob claim, Runnable halt) {
        Held one = new Held(claim, halt);
        held.add(one);
        leases.begun(one);
    }

    /** The run of the claim has ended. */
    public void ended(LeasedJob claim) {
        held.removeIf(one -> one.claim == claim);
    }

    /** Looks after dead workers and after conflicts from now on. */
    public void start() {
        monitor.start();
        parts.store().resolveWith(new Owner(worker, holds));
    }

    /** Takes the jobs that an earlier process of its id left behind. */
    public void recoverOwn() {
        monitor.recoverOwn();
    }

    /** Lets held jobs go, and makes the jobs of schedules, from now on. */
    public void letGoAndSchedule() {
        new Dependencies(parts).start();
        new Scheduler(parts).start();
    }

    /** Writes a sign of life, one after the other, and says whether a quorum confirmed it. */
    public boolean beat(int running) {
        while (!beating.isDone()) {
            ServerAccess.environment(parts.store().database().server()).join(beating);
        }
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        beating = mine;
        boolean confirmed = isConfirmed(running);
        mine.complete(confirmed);
        return confirmed;
    }

    private boolean isConfirmed(int running) {
        try {
            return registration.beat(running, parts.clock().instant(), Duration.ofSeconds(1), Duration.ofSeconds(2));
        } catch (CouchException away) {
            return false;
        }
    }

    /** Whether a job that waits for another one would take that for over. */
    public static boolean takesForOver(JobStore store, JobId id) {
        return DependencyStates.read(store, List.of(id)).isOver(id);
    }
}
