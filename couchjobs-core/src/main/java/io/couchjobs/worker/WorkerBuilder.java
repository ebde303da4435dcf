package io.couchjobs.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobId;
import io.couchjobs.store.Acceptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Describes and starts a {@link Worker}. Not thread-safe. */
public final class WorkerBuilder {
    private final Acceptor.Parts parts;
    private final Map<String, Handler<?>> handlers = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private @Nullable String id;
    private int concurrency = Runtime.getRuntime().availableProcessors();
    private @Nullable Duration timeLimit;
    private boolean untilEmpty;
    private long maxJobs = Long.MAX_VALUE;
    private Consumer<RunReport> listener = report -> {};

    WorkerBuilder(Acceptor.Parts parts) {
        this.parts = parts;
    }

    /**
     * Names the worker. A worker that starts with the id of one that died takes its jobs back at once; two that live at the
     * same time must not have the same id.
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
     * @param jobs at least 1; default the number of processors
     * @return this
     */
    public WorkerBuilder concurrency(int jobs) {
        this.concurrency = jobs;
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
     * Hears how each run ends.
     *
     * @param newListener called on the run's thread
     * @return this
     */
    public WorkerBuilder onRunEnded(Consumer<RunReport> newListener) {
        this.listener = newListener;
        return this;
    }

    /**
     * Starts the worker.
     *
     * @return the running worker
     * @throws IllegalArgumentException naming everything that is wrong
     * @throws io.couchjobs.couch.CouchException when the database cannot be used
     */
    public Worker start() {
        require(!handlers.isEmpty(), "a worker needs at least one handler");
        require(concurrency >= 1, "concurrency must be at least 1: " + concurrency);
        require(maxJobs >= 1, "maxJobs must be at least 1: " + maxJobs);
        require(
                timeLimit == null || (!timeLimit.isNegative() && !timeLimit.isZero()),
                "timeLimit must be positive: " + timeLimit);
        require(id == null || !id.isBlank(), "id must not be empty");
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        return new Worker(parts, options()).start();
    }

    private WorkerOptions options() {
        return new WorkerOptions(
                id == null ? uniqueId() : id,
                concurrency,
                Map.copyOf(handlers),
                Optional.ofNullable(timeLimit),
                untilEmpty,
                maxJobs,
                listener);
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
