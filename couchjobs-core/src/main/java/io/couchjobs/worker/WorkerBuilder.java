package io.couchjobs.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Strategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Describes and starts a {@link Worker}. Not thread-safe. */
public final class WorkerBuilder {
    private final QueueParts parts;
    private final Map<String, Handler<?>> handlers = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private @Nullable String id;
    private int concurrency = Runtime.getRuntime().availableProcessors();
    private @Nullable Duration timeLimit;
    private boolean untilEmpty;
    private long maxJobs = Long.MAX_VALUE;
    private int prefetch;
    private final List<RunInterceptor> interceptors = new ArrayList<>();
    private ClosingMode closingMode = ClosingMode.RELEASE;
    private @Nullable Duration closeOnExit;
    private boolean sweeping = true;
    private Consumer<RunReport> listener = report -> {};
    private Companion companion;
    private Selection selection = Selection.ALL;

    WorkerBuilder(QueueParts parts, Companion companion) {
        this.parts = parts;
        this.companion = companion;
    }

    /**
     * Names the worker. A worker that starts with the id of one that died takes its jobs back at once; two that live at the
     * same time must not have the same id. In a database with a name ({@link io.couchjobs.job.Site}) that is added: {@code
     * w1@munich}.
     *
     * @param newId default: host name, process id and a random part
     * @return this
     */
    public WorkerBuilder id(String newId) {
        this.id = newId;
        return this;
    }

    /**
     * Sets how many jobs run at once.
     *
     * @param jobs at least 1; default the number of processors. With more than 1, jobs are claimed while it is being written how
     *     others ended, so that for a moment a worker may own more jobs than it runs
     * @return this
     */
    public WorkerBuilder concurrency(int jobs) {
        this.concurrency = jobs;
        return this;
    }

    /**
     * Sets how many jobs run at once.
     *
     * @param jobs a number, {@code cores}, or {@code cores*N}
     * @return this
     */
    public WorkerBuilder concurrency(String jobs) {
        try {
            return concurrency(Concurrency.parse(jobs));
        } catch (IllegalArgumentException e) {
            problems.add(String.valueOf(e.getMessage()));
            return this;
        }
    }

    /**
     * Reads how many jobs run at once.
     *
     * @param jobs a number, {@code cores}, or {@code cores*N}
     * @return how many that are on this machine
     * @throws IllegalArgumentException when it is neither
     */
    public static int slots(String jobs) {
        return Concurrency.parse(jobs);
    }

    /**
     * Lets the worker claim jobs ahead, while all its slots are taken: they are {@code scheduled}, and start at once when a slot
     * is free. It saves the time of a claim between two jobs, and costs one more write per job.
     *
     * @param jobs how many at most; default 0
     * @return this
     */
    public WorkerBuilder prefetch(int jobs) {
        this.prefetch = jobs;
        return this;
    }

    /**
     * Puts something around every run: a logging context, metrics, tracing. The first one added is the outermost.
     *
     * @param interceptor called on the run's thread
     * @return this
     */
    public WorkerBuilder interceptor(RunInterceptor interceptor) {
        interceptors.add(interceptor);
        return this;
    }

    /**
     * Decides what becomes of jobs that still run when the time for closing is over.
     *
     * @param mode default {@link ClosingMode#RELEASE}
     * @return this
     */
    public WorkerBuilder whenClosing(ClosingMode mode) {
        this.closingMode = mode;
        return this;
    }

    /**
     * Closes the worker when the JVM exits, by a shutdown hook.
     *
     * @param timeout how long the running jobs may take; default no hook
     * @return this
     */
    public WorkerBuilder closeOnExit(Duration timeout) {
        this.closeOnExit = timeout;
        return this;
    }

    /**
     * Adds a handler. The worker claims only types that it has a handler for.
     *
     * @param type the type of jobs it runs
     * @param dataType what the jobs' data is bound to; {@code ObjectNode} takes it as it is
     * @param handler called by many threads at once
     * @param <T> what the jobs' data is bound to
     * @return this
     */
    public <T> WorkerBuilder handler(String type, Class<T> dataType, JobHandler<? super T> handler) {
        return handlerFactory(type, dataType, () -> handler);
    }

    /**
     * Adds a handler that takes the data as JSON.
     *
     * @param type the type of jobs it runs
     * @param handler called by many threads at once
     * @return this
     */
    public WorkerBuilder handler(String type, JobHandler<? super ObjectNode> handler) {
        return handler(type, ObjectNode.class, handler);
    }

    /**
     * Adds a handler that is made anew for each run.
     *
     * @param type the type of jobs it runs
     * @param dataType what the jobs' data is bound to
     * @param factory makes a handler for one run
     * @param <T> what the jobs' data is bound to
     * @return this
     */
    public <T> WorkerBuilder handlerFactory(
            String type, Class<T> dataType, Supplier<? extends JobHandler<? super T>> factory) {
        if (handlers.put(JobId.checkType(type), new Handler<>(dataType, factory)) != null) {
            problems.add("type " + type + " has two handlers");
        }
        return this;
    }

    /**
     * Limits how long a run may take. At the limit its thread is interrupted and the run counts as failed.
     *
     * @param limit default: no limit
     * @return this
     */
    public WorkerBuilder timeLimit(Duration limit) {
        this.timeLimit = limit;
        return this;
    }

    /**
     * Makes the worker stop by itself when none of its types has a job that is due, and none that anybody owns. Jobs for
     * later, retries among them, stay.
     *
     * @return this
     */
    public WorkerBuilder untilEmpty() {
        this.untilEmpty = true;
        return this;
    }

    /**
     * Makes the worker stop by itself after so many jobs.
     *
     * @param jobs how many jobs to claim, at least 1
     * @return this
     */
    public WorkerBuilder maxJobs(long jobs) {
        this.maxJobs = jobs;
        return this;
    }

    /**
     * Keeps the process from making the jobs of schedules while this worker lives. Some other process with a worker has to.
     *
     * @return this
     */
    public WorkerBuilder withoutScheduler() {
        this.companion = Companion.NONE;
        return this;
    }

    /**
     * Keeps this worker from taking turns in deleting the finished jobs that retention lets go, which one of all workers does
     * every ten minutes. Some other process with a worker has to, or a {@code gc} from time to time.
     *
     * @return this
     */
    public WorkerBuilder withoutSweeping() {
        this.sweeping = false;
        return this;
    }

    /**
     * Hears how each run ends. Called several times, all of them hear it, in that order.
     *
     * @param newListener called on the run's thread
     * @return this
     */
    public WorkerBuilder onRunEnded(Consumer<RunReport> newListener) {
        this.listener = listener.andThen(newListener);
        return this;
    }

    /**
     * Changes which of the due jobs come first.
     *
     * @param strategy default {@link Strategy#FIFO}
     * @return this
     */
    public WorkerBuilder strategy(Strategy strategy) {
        this.selection = selection.strategy(strategy);
        return this;
    }

    /**
     * Takes jobs group by group: {@link Strategy#fair}.
     *
     * @param high how many times in a row a group is asked for a job of high priority
     * @param low how many times in a row it is then asked for one of low priority
     * @return this
     * @throws IllegalArgumentException when a number is out of range, or both are 0
     */
    public WorkerBuilder fair(int high, int low) {
        return strategy(Strategy.fair(high, low));
    }

    /**
     * Takes only some jobs, and leaves the others to other workers. The filter is asked once about each revision of a job,
     * so it should depend on the job alone; when something else changed, call {@link Worker#filter}. A filter that fails
     * has said no, which is logged and counted. It is tried when the worker starts, with a job that has nothing but a type
     * and an id.
     *
     * @param filter which jobs to take; called by the thread that claims; must be quick and must not
     *     wait for anything
     * @return this
     */
    public WorkerBuilder filter(Predicate<? super Job> filter) {
        this.selection = selection.filter(filter);
        return this;
    }

    /**
     * Takes only jobs of some classes, of those that the settings of their types allow.
     *
     * @param classes the classes, {@code ""} for jobs without one; default all
     * @return this
     */
    public WorkerBuilder classes(String... classes) {
        this.selection = selection.classes(List.of(classes));
        return this;
    }

    /**
     * Starts the worker.
     *
     * @return the running worker
     * @throws IllegalArgumentException naming everything that is wrong
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be used
     */
    public Worker start() {
        check();
        return new Worker(parts, options(), companion).start();
    }

    /**
     * Runs all jobs that are due, and those that become due by that, in the calling thread and one after the other, instead of
     * starting a worker. For tests: nothing renews leases or limits the time of a run, and only the calling thread is at work.
     *
     * @return how the runs ended, in order
     * @throws IllegalArgumentException naming everything that is wrong
     * @throws IllegalStateException when there is still something due after 10,000 runs
     * @throws InterruptedException when interrupted
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be used
     */
    public List<RunReport> drain() throws InterruptedException {
        check();
        return new Drain(parts, options()).run();
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
                sweeping,
                closingMode,
                Optional.ofNullable(closeOnExit),
                loader(),
                listener,
                selection);
    }

    /** What the application that starts the worker sees, its handlers see too. */
    private static ClassLoader loader() {
        ClassLoader present = Thread.currentThread().getContextClassLoader();
        return present == null ? WorkerBuilder.class.getClassLoader() : present;
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
