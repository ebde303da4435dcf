package io.couchjobs.engine.worker;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.schedule.Scheduler;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.job.JobId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** What a worker does beside running jobs: it tells that it lives, and looks after those that do not. */
public final class SimulatedWorker {
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
    }

    /** Looks after dead workers and after conflicts from now on. */
    public void start() {
        monitor.start();
        parts.store().resolveWith(new Owner(worker, holds));
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
}
