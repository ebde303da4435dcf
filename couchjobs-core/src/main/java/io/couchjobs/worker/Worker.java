package io.couchjobs.worker;

import io.couchjobs.job.JobId;
import io.couchjobs.store.AcceptOptions;
import io.couchjobs.store.Acceptor;
import io.couchjobs.store.Backoff;
import io.couchjobs.store.ClaimedJob;
import io.couchjobs.store.Feed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims due jobs and runs their handlers, as many at once as its concurrency allows. Thread-safe; made by {@link
 * io.couchjobs.JobQueue#worker()}.
 *
 * <p>It keeps the leases of what it runs, takes back what dead workers left, and outlives every trouble: while the database
 * is away it waits, with growing pauses, and then goes on.
 */
public final class Worker implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final WorkerOptions options;
    private final Acceptor.Parts parts;
    private final Acceptor acceptor;
    private final Map<JobId, Run> runs = new ConcurrentHashMap<>();
    private final Semaphore slots;
    private final LeaseKeeper leases;
    private final ActivityMonitor monitor;
    private final Tally tally = new Tally();
    private final TimeLimits timeLimits;
    private final ProgressTeller progress = new ProgressTeller();
    private final Thread dispatcher;
    private final OwnJobs ownJobs;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean closing;
    private long started;
    private Feed.Listening listening = () -> {};

    Worker(Acceptor.Parts parts, WorkerOptions options) {
        this.parts = parts;
        this.options = options;
        this.acceptor = new Acceptor(parts, options.id());
        this.slots = new Semaphore(options.concurrency());
        Registration registration = new Registration(
                parts.store().database(),
                options.id(),
                options.handlers().keySet(),
                parts.clock().instant());
        this.leases = new LeaseKeeper(registration, runs.values(), parts.settings(), parts.clock());
        this.monitor = new ActivityMonitor(parts, options.id(), this::runsNow);
        this.ownJobs = new OwnJobs(runs, options.id(), leases::hurry);
        this.timeLimits = new TimeLimits(options.timeLimit());
        this.dispatcher = new Thread(this::dispatch, "couchjobs-worker-" + options.id());
    }

    /**
     * Starts to describe a worker.
     *
     * @param parts what it works with
     * @return a builder
     */
    public static WorkerBuilder builder(Acceptor.Parts parts) {
        return new WorkerBuilder(parts);
    }

    /** {@return the worker's id, which the locks of its jobs carry} */
    public String id() {
        return options.id();
    }

    /** {@return what it did so far} */
    public WorkerStats stats() {
        return tally.stats(acceptor.conflicts(), monitor.recovered(), runs.size());
    }

    /**
     * Waits until the worker has stopped by itself ({@link WorkerBuilder#untilEmpty}, {@link WorkerBuilder#maxJobs}) or was
     * closed, and its last run has ended.
     *
     * @throws InterruptedException when interrupted while waiting
     */
    public void awaitStopped() throws InterruptedException {
        stopped.await();
    }

    /** Closes with the default time: 30 s. */
    @Override
    public void close() {
        close(Duration.ofSeconds(30));
    }

    /**
     * Takes no new jobs, lets the running ones finish, and interrupts those that have not when the time is over: they go
     * back to waiting. Their leases are renewed to the end. Closing twice does nothing.
     *
     * @param timeout how long the running jobs may take
     */
    public void close(Duration timeout) {
        closing = true;
        dispatcher.interrupt();
        try {
            if (!stopped.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                runs.values().forEach(run -> run.stop(StopReason.CLOSING));
                if (!stopped.await(GRACE.toNanos(), TimeUnit.NANOSECONDS)) {
                    log.warn("{} jobs ignore that worker {} closes; their leases run out", runs.size(), id());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            runs.values().forEach(run -> run.stop(StopReason.CLOSING));
        }
        listening.close();
        monitor.close();
        leases.close();
        timeLimits.close();
        progress.close();
        acceptor.close();
    }

    @Override
    public String toString() {
        return "Worker[" + id() + " " + options.handlers().keySet() + "]";
    }

    Worker start() {
        monitor.recoverOwn();
        leases.start();
        listening = parts.feed().listen(ownJobs);
        monitor.start();
        dispatcher.setDaemon(true);
        dispatcher.start();
        return this;
    }

    private void dispatch() {
        Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10));
        try {
            while (!closing && started < options.maxJobs()) {
                try {
                    if (!claimAndStart()) {
                        break;
                    }
                    backoff.reset();
                } catch (RuntimeException | Error e) {
                    if (backoff.attempts() == 0) {
                        log.warn("worker {} cannot claim jobs, trying again until it can: {}", id(), e.getMessage());
                        log.debug("the cause", e);
                    }
                    backoff.pause();
                }
            }
            slots.acquire(options.concurrency());
        } catch (InterruptedException e) {
            slots.acquireUninterruptibly(options.concurrency());
        } finally {
            stopped.countDown();
        }
    }

    /** One round: wait for a free slot, claim as many jobs as there are slots, start them. False when it is time to stop. */
    private boolean claimAndStart() throws InterruptedException {
        slots.acquire();
        int free = 1 + slots.drainPermits();
        int wanted = (int) Math.min(free, options.maxJobs() - started);
        List<ClaimedJob> claimed = List.of();
        try {
            claimed = acceptor.accept(accept(wanted));
        } finally {
            slots.release(free - claimed.size());
        }
        claimed.forEach(closing ? this::giveBack : this::begin);
        return !claimed.isEmpty() || !options.untilEmpty() || !isEmpty();
    }

    private AcceptOptions accept(int max) {
        AcceptOptions accept = AcceptOptions.of(options.handlers().keySet().toArray(new String[0]))
                .max(max);
        return options.untilEmpty() ? accept.timeout(options.emptyCheck()) : accept;
    }

    /** Nothing is due (an accept has just found nothing), and nobody runs anything that could fail, expire or resubmit. */
    private boolean isEmpty() throws InterruptedException {
        if (!runs.isEmpty()) {
            return false;
        }
        for (String type : options.handlers().keySet()) {
            if (!parts.index().owned(type).isEmpty()) {
                return false;
            }
        }
        List<ClaimedJob> late = acceptor.accept(accept(1).timeout(Duration.ZERO));
        if (!late.isEmpty()) {
            slots.acquire();
            begin(late.get(0));
        }
        return late.isEmpty();
    }

    /** The worker was closed while it claimed. */
    private void giveBack(ClaimedJob claim) {
        try {
            claim.release();
        } catch (RuntimeException e) {
            log.warn("{} could not be given back, its lease runs out: {}", claim.id(), e.getMessage());
        } finally {
            slots.release();
        }
    }

    private void begin(ClaimedJob claim) {
        started++;
        tally.claimed();
        Handler<?> handler =
                Objects.requireNonNull(options.handlers().get(claim.id().type()));
        Run run = new Run(
                claim, handler, progress, parts.settings().timeoutOf(claim.id().type()));
        runs.put(claim.id(), run);
        ownJobs.begun(run);
        leases.hurry();
        timeLimits.watch(run);
        try {
            RunThreads.unstarted("couchjobs-run-" + claim.id(), () -> call(run)).start();
        } catch (Error noMoreThreads) {
            log.error("no thread can be started for {}; its lease runs out", claim.id(), noMoreThreads);
            ended(run);
        }
    }

    /** A halted run is not ours any more, even if its handler ignores that it was interrupted. */
    private boolean runsNow(JobId id) {
        Run run = runs.get(id);
        return run != null && run.stopReason().filter(StopReason.HALTED::equals).isEmpty();
    }

    private void call(Run run) {
        try {
            RunReport report = run.call();
            tally.ended(report.outcome());
            options.listener().accept(report);
        } catch (Throwable e) {
            log.error(
                    "the run of {} ended in a way it should not; its lease runs out",
                    run.claim().id(),
                    e);
        } finally {
            ended(run);
        }
    }

    private void ended(Run run) {
        timeLimits.forget(run);
        runs.remove(run.claim().id(), run);
        slots.release();
    }
}
