package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.gc.Sweeper;
import io.couchjobs.engine.history.WorkerHistory;
import io.couchjobs.engine.log.JobLogs;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.Job;
import io.couchjobs.job.Listening;
import io.couchjobs.job.Strategy;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A worker of a queue. Thread-safe. */
public final class QueueWorker implements Worker {
    private static final Logger log = LoggerFactory.getLogger(QueueWorker.class);
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final WorkerOptions options;
    private final QueueParts parts;
    private final Finder finder;
    private final Executor executor;
    private final Dispatcher dispatcher;
    private final Registration registration;
    private final LeaseKeeper leases;
    private final ActivityMonitor monitor;
    private final CancelWatch cancelWatch;
    private final Dependencies dependencies;
    private final Sweeper sweeper;
    private final WorkerHistory history;
    private final ProgressWriter progressWriter;
    private Listening listening = () -> {};
    private @Nullable Thread exitHook;
    private final WorkerHook hook;
    private Listening accompanied = () -> {};
    private Listening resolving = () -> {};

    QueueWorker(QueueParts parts, WorkerOptions options, WorkerHook hook) {
        this.parts = parts;
        this.options = options;
        this.hook = hook;
        this.finder = new Finder(parts, options.id());
        Environment environment = parts.store().environment();
        this.progressWriter = new ProgressWriter(environment);
        finder.admission().filter(options.selection().filter());
        finder.admission().classes(options.selection().classes());
        this.history = new WorkerHistory(parts, options.id());
        this.executor = new Executor(
                new RunTools(
                        parts,
                        options,
                        progressWriter,
                        new TimeLimits(options.timeLimit(), environment),
                        finder.limits(),
                        new JobLogs(parts.store(), parts.feed())),
                this::claimed,
                this::ended);
        this.dispatcher = new Dispatcher(options, finder, parts, executor);
        this.registration = new Registration(
                        parts.store().database(),
                        options.id(),
                        options.handlers().keySet(),
                        parts.clock().instant())
                .at(parts.store().site())
                .tells(options.hasOwnId() ? finder.candidates()::lastGroup : Optional::empty);
        this.leases =
                new LeaseKeeper(registration, executor.runs().values(), parts.settings(), parts.clock(), environment);
        this.monitor = new ActivityMonitor(parts, options.id(), executor::runsNow);
        this.dependencies = new Dependencies(parts);
        this.sweeper = new Sweeper(parts, options.id(), executor.tally()::claims);
        this.cancelWatch = new CancelWatch(executor.runs(), leases::hurry, environment);
    }

    /**
     * Returns a builder of a worker.
     *
     * @param hook is called when the worker starts
     */
    public static WorkerBuilder builder(QueueParts parts, WorkerHook hook) {
        return new QueueWorkerBuilder(parts, hook);
    }

    @Override
    public String id() {
        return options.id();
    }

    @Override
    public Worker.Stats stats() {
        int running = executor.runs().size() - executor.aheadCount();
        return executor.tally().stats(finder, monitor.recovered(), running);
    }

    @Override
    public int concurrency() {
        return executor.slots().limit();
    }

    @Override
    public void concurrency(int jobs) {
        if (jobs < 0) {
            throw new IllegalArgumentException("concurrency must be 0 or more: " + jobs);
        }
        executor.resize(jobs);
    }

    @Override
    public void filter(@Nullable Predicate<? super Job> filter) {
        Selection.probe(filter, options.handlers().keySet());
        finder.admission().filter(filter);
    }

    @Override
    public void classes(@Nullable Set<String> classes) {
        finder.admission().classes(classes);
    }

    @Override
    public void awaitStopped() throws InterruptedException {
        dispatcher.stopped().await();
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(30));
    }

    @Override
    public void close(Duration timeout) {
        close(timeout, options.closingMode());
    }

    @Override
    public void close(Duration timeout, Worker.ClosingMode mode) {
        close(timeout, run -> run.stop(mode.reason()));
    }

    @Override
    public void closeCancelling(Duration timeout, String reason) {
        close(timeout, run -> run.cancel(reason));
    }

    private void close(Duration timeout, Consumer<Run> stop) {
        dispatcher.close();
        try {
            if (!isStoppedWithin(timeout)) {
                executor.stopAll(stop);
                if (!isStoppedWithin(GRACE) && !executor.runs().isEmpty()) {
                    log.warn(
                            "{} jobs have not ended when worker {} closes; their leases run out",
                            executor.runs().size(),
                            id());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            executor.stopAll(stop);
        }
        closeParts();
    }

    @Override
    public String toString() {
        return "QueueWorker[" + id() + " " + options.handlers().keySet() + "]";
    }

    /** Starts the worker. A failed start leaves nothing behind. */
    QueueWorker start() {
        try {
            begin();
        } catch (RuntimeException | Error e) {
            dispatcher.close();
            closeParts();
            throw e;
        }
        return this;
    }

    private void begin() {
        monitor.recoverOwn();
        takeTurns();
        leases.start();
        listening = parts.feed().listen(cancelWatch);
        monitor.start();
        dependencies.start();
        resolving = parts.store().resolveWith(new Owner(id(), executor::holds));
        accompanied = hook.join(this, options.makesJobs());
        if (options.sweeping()) {
            sweeper.start();
            history.start();
        }
        dispatcher.start();
        options.closeOnExit().ifPresent(this::closeOnExit);
    }

    /**
     * Continues the turns of groups. Must precede the first sign of life, which replaces the registration of an earlier
     * process.
     */
    private void takeTurns() {
        if (!options.hasOwnId()) {
            finder.candidates().beginAnywhere();
        } else if (options.selection().strategy().kind() == Strategy.Kind.FAIR) {
            registration.lastGroup().ifPresent(finder.candidates()::goOnAfter);
        }
    }

    private void claimed(Run run) {
        cancelWatch.begun(run);
        leases.begun(run);
    }

    private void ended(RunReport report) {
        history.ended(report);
        if (report.outcome() == RunReport.Outcome.HALTED) {
            monitor.lost(report.id());
        }
    }

    private boolean isStoppedWithin(Duration timeout) throws InterruptedException {
        return dispatcher.stopped().await(Environment.bounded(timeout).toMillis(), TimeUnit.MILLISECONDS);
    }

    private void closeParts() {
        accompanied.close();
        resolving.close();
        listening.close();
        dependencies.close();
        sweeper.close();
        monitor.close();
        executor.stopAll(run -> run.stop(JobContext.StopReason.HALTED)); // from here on their leases are not renewed
        leases.close();
        progressWriter.close();
        executor.close();
        history.close();
        finder.close();
        forgetExitHook();
    }

    private synchronized void closeOnExit(Duration timeout) {
        exitHook = parts.store().environment().thread("couchjobs-exit-" + id(), () -> close(timeout));
        Runtime.getRuntime().addShutdownHook(exitHook);
    }

    private synchronized void forgetExitHook() {
        if (exitHook != null && Thread.currentThread() != exitHook) {
            try {
                Runtime.getRuntime().removeShutdownHook(exitHook);
            } catch (IllegalStateException alreadyExiting) {
                log.debug("worker {} closes while the JVM exits", id());
            }
        }
        exitHook = null;
    }
}
