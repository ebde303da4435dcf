package io.couchjobs.scope;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Describes how a process serves the scopes of a type. Immutable; thread-safe if its functions are thread-safe.
 *
 * @param <T> the Java type of the jobs' data
 */
public final class ScopeService<T> {
    private static final String PROBE = "probe";

    private final JobType<T> type;
    private final Supplier<? extends JobHandler<? super T>> factory;
    private final Predicate<Job> accept;
    private final Predicate<Scope> which;

    private ScopeService(
            JobType<T> type,
            Supplier<? extends JobHandler<? super T>> factory,
            Predicate<Job> accept,
            Predicate<Scope> which) {
        this.type = type;
        this.factory = factory;
        this.accept = accept;
        this.which = which;
    }

    /**
     * Creates a service with one handler for all jobs.
     *
     * @param type the type of the scopes
     * @param handler the handler, called by many threads at once
     * @param <T> the Java type of the jobs' data
     * @return the service, which accepts every job and serves every partition
     */
    public static <T> ScopeService<T> of(JobType<T> type, JobHandler<? super T> handler) {
        return ofFactory(type, () -> handler);
    }

    /**
     * Creates a service with one handler for all jobs.
     *
     * @param type the type of the scopes
     * @param dataType the Java type of the jobs' data; {@code ObjectNode} for the raw JSON
     * @param handler the handler, called by many threads at once
     * @param <T> the Java type of the jobs' data
     * @return the service, which accepts every job and serves every partition
     */
    public static <T> ScopeService<T> of(String type, Class<T> dataType, JobHandler<? super T> handler) {
        return of(JobType.of(type, dataType), handler);
    }

    /**
     * Creates a service that creates a handler for each run.
     *
     * @param type the type of the scopes
     * @param factory creates a handler for one run
     * @param <T> the Java type of the jobs' data
     * @return the service, which accepts every job and serves every partition
     */
    public static <T> ScopeService<T> ofFactory(JobType<T> type, Supplier<? extends JobHandler<? super T>> factory) {
        Scope.of(type.name(), PROBE); // checks the name
        return new ScopeService<>(type, factory, job -> true, scope -> true);
    }

    /**
     * {@return this service, restricted to jobs that a function accepts} A submit in this process calls the function. The function
     * is called again before a job runs, because a process without this function may have submitted the job. A job that the
     * function rejects then fails permanently. When the service starts, the function is tested with a job without data.
     *
     * @param function the function; must be quick; called by many threads at once
     */
    public ScopeService<T> accept(Predicate<Job> function) {
        return new ScopeService<>(type, factory, function, which);
    }

    /**
     * {@return this service, restricted to some partitions} When the service starts, the function is tested with the partition
     * {@code probe}.
     *
     * @param partitions selects the partitions
     */
    public ScopeService<T> only(Predicate<Scope> partitions) {
        return new ScopeService<>(type, factory, accept, partitions);
    }

    /** {@return the type of the scopes} */
    public String type() {
        return type.name();
    }

    /**
     * {@return whether the service serves a scope}
     *
     * @param scope the scope
     */
    public boolean serves(Scope scope) {
        return scope.type().equals(type()) && which.test(scope);
    }

    /**
     * {@return why a job with some data could never run; empty if the job could run}
     *
     * @param data the data
     */
    public Optional<String> problemOf(ObjectNode data) {
        try {
            T unused = type.bind(data);
            return Optional.empty();
        } catch (InvalidJobDataException doesNotFit) {
            return Optional.of(String.valueOf(doesNotFit.getMessage()));
        }
    }

    /**
     * {@return why the service rejects a job; empty if it accepts the job}
     *
     * @param job the job
     */
    public Optional<String> rejectionOf(Job job) {
        try {
            return accept.test(job) ? Optional.empty() : Optional.of("the accept function does not want it");
        } catch (RuntimeException e) {
            return Optional.of("the accept function failed: " + e);
        }
    }

    /**
     * Tests the functions.
     *
     * @throws IllegalArgumentException when a function throws
     */
    public void probe() {
        Scope scope = new Scope(type(), PROBE);
        JobRequest empty = JobRequest.builder(scope.jobType())
                .id(PROBE)
                .data(JsonNodeFactory.instance.objectNode())
                .build();
        Job job = Transitions.create(empty, Instant.EPOCH);
        probe("the accept function", () -> accept.test(job), "a job without data");
        probe("the function of only", () -> which.test(scope), "the partition \"" + PROBE + "\"");
    }

    private void probe(String name, BooleanSupplier function, String triedOn) {
        try {
            boolean unused = function.getAsBoolean();
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    name + " for scopes of type " + type() + " fails when it is tried on " + triedOn + ": " + e, e);
        }
    }

    /**
     * {@return the worker builder, extended to serve a scope}
     *
     * @param worker the worker builder
     * @param scope the scope
     */
    public WorkerBuilder addTo(WorkerBuilder worker, Scope scope) {
        return worker.handlerFactory(type.named(scope.jobType()), factory).interceptor(this::runIfWanted);
    }

    private @Nullable Object runIfWanted(JobContext context, Callable<@Nullable Object> run) throws Exception {
        JobId id = context.id();
        Optional<String> rejection = rejectionOf(context.job());
        if (rejection.isPresent()) {
            throw new PermanentJobException(
                    Submission.Answer.JOB_REJECTED + ": " + id + " was not run: " + rejection.get());
        }
        return run.call();
    }
}
