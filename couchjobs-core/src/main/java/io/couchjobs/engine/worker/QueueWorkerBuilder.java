package io.couchjobs.engine.worker;

import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobType;
import io.couchjobs.job.Strategy;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.RunInterceptor;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds and starts a worker of a queue. */
final class QueueWorkerBuilder implements WorkerBuilder {
    private static final Logger log = LoggerFactory.getLogger(QueueWorkerBuilder.class);
    private final QueueParts parts;
    private final WorkerHook hook;
    private final Map<String, Handler<?>> handlers = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private @Nullable String id;
    private int concurrency = Runtime.getRuntime().availableProcessors();
    private @Nullable Duration timeLimit;
    private boolean untilEmpty;
    private long maxJobs = Long.MAX_VALUE;
    private int prefetch;
    private final List<RunInterceptor> interceptors = new ArrayList<>();
    private Worker.ClosingMode closingMode = Worker.ClosingMode.RELEASE;
    private @Nullable Duration closeOnExit;
    private boolean makesJobs = true;
    private boolean sweeping = true;
    private Consumer<RunReport> listener = WorkerOptions.NO_LISTENER;
    private Selection selection = Selection.ALL;

    QueueWorkerBuilder(QueueParts parts, WorkerHook hook) {
        this.parts = parts;
        this.hook = hook;
    }

    @Override
    public QueueWorkerBuilder id(String newId) {
        this.id = newId;
        return this;
    }

    @Override
    public QueueWorkerBuilder concurrency(int jobs) {
        this.concurrency = jobs;
        return this;
    }

    @Override
    public QueueWorkerBuilder concurrency(String jobs) {
        try {
            return concurrency(WorkerBuilder.slots(jobs));
        } catch (IllegalArgumentException e) {
            problems.add(String.valueOf(e.getMessage()));
            return this;
        }
    }

    @Override
    public QueueWorkerBuilder prefetch(int jobs) {
        this.prefetch = jobs;
        return this;
    }

    @Override
    public QueueWorkerBuilder interceptor(RunInterceptor interceptor) {
        interceptors.add(interceptor);
        return this;
    }

    @Override
    public QueueWorkerBuilder whenClosing(Worker.ClosingMode mode) {
        this.closingMode = mode;
        return this;
    }

    @Override
    public QueueWorkerBuilder closeOnExit(Duration timeout) {
        this.closeOnExit = timeout;
        return this;
    }

    @Override
    public <T> QueueWorkerBuilder handlerFactory(JobType<T> type, Supplier<? extends JobHandler<? super T>> factory) {
        if (handlers.put(type.name(), new Handler<>(type, factory)) != null) {
            problems.add("type " + type.name() + " has two handlers");
        }
        return this;
    }

    @Override
    public QueueWorkerBuilder timeLimit(Duration limit) {
        this.timeLimit = limit;
        return this;
    }

    @Override
    public QueueWorkerBuilder untilEmpty() {
        this.untilEmpty = true;
        return this;
    }

    @Override
    public QueueWorkerBuilder maxJobs(long jobs) {
        this.maxJobs = jobs;
        return this;
    }

    @Override
    public QueueWorkerBuilder withoutScheduler() {
        this.makesJobs = false;
        return this;
    }

    @Override
    public QueueWorkerBuilder withoutSweeping() {
        this.sweeping = false;
        return this;
    }

    @Override
    public QueueWorkerBuilder onRunEnded(Consumer<RunReport> newListener) {
        this.listener = listener == WorkerOptions.NO_LISTENER ? newListener : listener.andThen(newListener);
        return this;
    }

    @Override
    public QueueWorkerBuilder strategy(Strategy strategy) {
        this.selection = selection.strategy(strategy);
        return this;
    }

    @Override
    public QueueWorkerBuilder fair(int high, int low) {
        return strategy(Strategy.fair(high, low));
    }

    @Override
    public QueueWorkerBuilder filter(Predicate<? super Job> filter) {
        this.selection = selection.filter(filter);
        return this;
    }

    @Override
    public QueueWorkerBuilder classes(String... classes) {
        this.selection = selection.classes(List.of(classes));
        return this;
    }

    @Override
    public Set<String> types() {
        return Set.copyOf(handlers.keySet());
    }

    @Override
    public Worker start() {
        check();
        handlers.values().forEach(handler -> define(handler.type()));
        return new QueueWorker(parts, options(), hook).start();
    }

    @Override
    public List<RunReport> drain() throws InterruptedException {
        check();
        handlers.values().forEach(handler -> define(handler.type()));
        return new Drain(parts, options()).run();
    }

    /** Defines the settings of a type. In a database with a guard, only an administrator may change these settings. */
    private void define(JobType<?> type) {
        try {
            parts.settings().define(type);
        } catch (WriteRefusedException notAllowed) {
            log.warn(
                    "timeout and retention of type {} stay as they are: an administrator has to set them ({})",
                    type.name(),
                    notAllowed.getMessage());
        }
    }

    private void check() {
        require(!handlers.isEmpty(), "a worker needs at least one handler");
        require(concurrency >= 1, "concurrency must be at least 1: " + concurrency);
        require(prefetch >= 0, "prefetch must be 0 or more: " + prefetch);
        require(closeOnExit == null || !closeOnExit.isNegative(), "closeOnExit must not be negative: " + closeOnExit);
        require(maxJobs >= 1, "maxJobs must be at least 1: " + maxJobs);
        require(
                timeLimit == null || (!timeLimit.isNegative() && !timeLimit.isZero()),
                "timeLimit must be positive: " + timeLimit);
        require(id == null || !id.isBlank(), "id must not be empty");
        probeFilter();
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    private void probeFilter() {
        try {
            Selection.probe(selection.filter(), handlers.keySet());
        } catch (IllegalArgumentException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }

    private WorkerOptions options() {
        return new WorkerOptions(
                parts.store().site().workerId(id == null ? uniqueId() : id),
                id != null,
                concurrency,
                prefetch,
                Map.copyOf(handlers),
                List.copyOf(interceptors),
                Optional.ofNullable(timeLimit),
                untilEmpty,
                maxJobs,
                makesJobs,
                sweeping,
                closingMode,
                Optional.ofNullable(closeOnExit),
                loader(),
                listener,
                selection);
    }

    /**
     * Returns the class loader of handlers: that of the thread that builds the worker, so that handlers see the application's
     * classes.
     */
    private static ClassLoader loader() {
        ClassLoader present = Thread.currentThread().getContextClassLoader();
        return present == null ? QueueWorkerBuilder.class.getClassLoader() : present;
    }

    private void require(boolean holds, String problem) {
        if (!holds) {
            problems.add(problem);
        }
    }

    private static String uniqueId() {
        String host = System.getenv().getOrDefault("HOSTNAME", "worker");
        return host + "-" + ProcessHandle.current().pid() + "-"
                + UUID.randomUUID().toString().substring(0, 8);
    }
}
