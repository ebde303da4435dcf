package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.worker.RunReport;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs claimed jobs, each in a thread that keeps no state of other runs. Jobs that were claimed ahead wait here until a slot is
 * free. Thread-safe.
 */
public final class Executor {
    private static final Logger log = LoggerFactory.getLogger(Executor.class);

    private final RunTools tools;
    private final WorkerOptions options;
    private final Environment environment;
    private final Consumer<Run> onClaimed;
    private final Consumer<RunReport> onEnded;
    private final Slots slots;
    private final WorkerCounters counters = new WorkerCounters();
    /** All jobs that this worker owns, started or not. Their leases are renewed. */
    private final Map<JobId, Run> runs = new ConcurrentHashMap<>();

    private final Queue<Run> ahead = new ArrayDeque<>();
    /** The lane for the answers to ends that no thread waits for. Never closed, because a run that still ends needs it. */
    private final Lane ends;

    Executor(RunTools tools, Consumer<Run> onClaimed, Consumer<RunReport> onEnded) {
        this.tools = tools;
        this.options = tools.options();
        this.environment = tools.parts().store().environment();
        this.onClaimed = onClaimed;
        this.onEnded = onEnded;
        this.slots = new Slots(options.concurrency());
        this.ends = environment.lane("couchjobs-ends", 1);
    }

    Map<JobId, Run> runs() {
        return runs;
    }

    Slots slots() {
        return slots;
    }

    WorkerCounters tally() {
        return counters;
    }

    /**
     * Changes how many jobs run at once. Jobs that were claimed ahead are started while slots are free. A limit of 0 releases
     * them.
     */
    void resize(int most) {
        slots.resize(most);
        startNext();
        releaseUnlessTheyMayRun();
    }

    /** {@return how many more jobs may be claimed ahead; 0 while the worker starts no jobs} */
    synchronized int placesFree() {
        return slots.limit() == 0 ? 0 : options.prefetch() - ahead.size();
    }

    synchronized int aheadCount() {
        return ahead.size();
    }

    /** Starts a claimed job, now or when a slot is free. */
    void take(LeasedJob claim) {
        counters.claimed();
        Run run = tools.run(claim);
        runs.put(claim.id(), run);
        onClaimed.accept(run);
        if (slots.tryTake()) {
            start(run);
        } else {
            wait(run);
            startNext();
            releaseUnlessTheyMayRun();
        }
    }

    private void wait(Run run) {
        synchronized (this) {
            ahead.add(run);
        }
        run.whenStopped(() -> startStopped(run));
    }

    /** Starts a run that was stopped while it waited. Such a run has nothing to do, so it ends at once, even if no slot is free. */
    private void startStopped(Run run) {
        synchronized (this) {
            if (!ahead.remove(run)) {
                return;
            }
            slots.takeOneMore();
        }
        start(run);
    }

    private void releaseUnlessTheyMayRun() {
        if (slots.limit() == 0) {
            releaseAhead();
        }
    }

    /** Releases all jobs that have not started. Returns when the releases are stored, or the leases have run out. */
    void releaseAhead() {
        Collection<Run> unstarted;
        synchronized (this) {
            unstarted = new ArrayDeque<>(ahead);
            ahead.clear();
        }
        unstarted.forEach(run -> {
            giveBack(run.claim());
            counters.ended(RunReport.Outcome.RELEASED);
            runs.remove(run.claim().id(), run);
        });
        slots.changed();
    }

    static void giveBack(LeasedJob claim) {
        try {
            claim.release();
        } catch (RuntimeException e) {
            log.warn("{} could not be given back, its lease runs out: {}", claim.id(), e.getMessage());
        }
    }

    void stopAll(Consumer<Run> stop) {
        runs.values().forEach(stop);
    }

    /** {@return whether this worker runs a job; it no longer owns a halted run, even if the handler ignores the interrupt} */
    boolean runsNow(JobId id) {
        Run run = runs.get(id);
        return run != null && !run.isHalted();
    }

    /** {@return whether this worker has a run of the claim with the given token, even if the run was halted} */
    boolean holds(String token) {
        return runs.values().stream().anyMatch(run -> run.claim().token().equals(token));
    }

    void close() {
        tools.timeLimits().close();
    }

    private void startNext() {
        while (true) {
            Run next;
            synchronized (this) {
                if (ahead.isEmpty() || !slots.tryTake()) {
                    return;
                }
                next = ahead.remove();
            }
            slots.changed(); // a place for a job to be claimed ahead is free
            start(next);
        }
    }

    private void start(Run run) {
        startThread(run, () -> call(run));
    }

    private void startThread(Run run, Runnable task) {
        environment.startRun("couchjobs-run-" + run.claim().id(), options.loader(), task);
    }

    private void call(Run run) {
        boolean isSent = false;
        try {
            if (run.claim().job().status() == JobStatus.SCHEDULED) {
                run.startUnlessStopped();
            }
            LogContext.set(options.id(), run.claim().job());
            try {
                run.call();
            } finally {
                handlerDone();
            }
            isSent = isSent(run);
            if (!isSent) {
                tell(run.writeEnd(false));
            }
        } catch (Throwable e) {
            endsWrong(run, e);
        } finally {
            if (!isSent) {
                ended(run);
            }
            LogContext.clear();
        }
    }

    /** Sends the end of a run. Returns false when the run's thread must write the end and wait, as it must for a listener. */
    private boolean isSent(Run run) {
        Optional<CompletableFuture<Optional<RunReport>>> sent = options.hasListener() ? Optional.empty() : sent(run);
        sent.ifPresent(answer -> {
            var unused = answer.whenComplete((report, trouble) -> {
                if (trouble == null && report.isPresent()) {
                    tell(report.get());
                    ended(run);
                } else {
                    startThread(run, () -> writeAgain(run));
                }
            });
        });
        return sent.isPresent();
    }

    private Optional<CompletableFuture<Optional<RunReport>>> sent(Run run) {
        try {
            return run.sendEnd(ends);
        } catch (RuntimeException trouble) {
            return Optional.empty(); // the caller writes the end and waits, and so gets the exception
        }
    }

    private void writeAgain(Run run) {
        try {
            LogContext.set(options.id(), run.claim().job());
            tell(run.writeEnd(true));
        } catch (Throwable e) {
            endsWrong(run, e);
        } finally {
            ended(run);
            LogContext.clear();
        }
    }

    private void tell(RunReport report) {
        counters.ended(report.outcome());
        onEnded.accept(report);
        options.listener().accept(report);
    }

    private static void endsWrong(Run run, Throwable e) {
        log.error(
                "the run of {} ended in a way it should not; its lease runs out",
                run.claim().id(),
                e);
    }

    /** Frees the slot, because the next run need not wait until the end of this run is stored. */
    private void handlerDone() {
        slots.handlerDone();
        startNext();
    }

    private void ended(Run run) {
        runs.remove(run.claim().id(), run);
        if (run.isEnding()) {
            slots.ended();
        } else {
            slots.release();
            startNext();
        }
    }
}
