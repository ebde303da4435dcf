package io.couchjobs.scope;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Listening;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The scopes of a queue. A scope groups jobs by type and partition. It can be started and stopped, and accepts a limited number of
 * jobs. Thread-safe; created by {@link io.couchjobs.JobQueue#scopes()}. Source: Riak Core Jobs. Unlike there, jobs are documents:
 * when a service dies, no job is lost, and the jobs run where the scope is served next.
 *
 * <p>Any process can start and stop a scope and submit jobs to it. Processes that call {@link #serve} serve the scope. All methods
 * throw {@link io.couchjobs.couch.config.CouchException} when the database cannot be used. Methods that write throw {@link
 * io.couchjobs.job.UnconfirmedException} when no majority of a cluster's copies confirms the write; the call may be repeated.
 */
public interface Scopes {
    /**
     * Makes this process serve the scopes of a type: those that run now, and those that any process starts later. Returns
     * immediately. Retries while the database cannot be reached. A process that calls this method several times for a type has that
     * many services for each of its scopes, as if there were several processes.
     *
     * @param service the service
     * @return a handle that stops the serving when it is closed
     * @throws IllegalArgumentException when a function of the service throws when it is tested
     * @throws IllegalStateException when the queue is closed
     */
    Host serve(ScopeService<?> service);

    /**
     * Starts a scope with the last configuration given for any scope of its type, or else the defaults. Does not change a running
     * scope.
     *
     * @param scope the scope
     * @return the state of the running scope
     */
    State start(Scope scope);

    /**
     * Starts a scope. Does not change a running scope: the configuration is ignored then.
     *
     * @param scope the scope
     * @param config the configuration; {@link ScopeConfig#DEFAULTS} for the defaults, regardless of earlier configurations
     * @return the state of the running scope
     */
    State start(Scope scope, ScopeConfig config);

    /**
     * Changes the configuration of a scope. Serving processes apply the change within a second. With a higher concurrency, more
     * jobs start. With a lower concurrency, no job is stopped, and none starts until fewer run. Accepted jobs stay, even when the
     * new queue limit is lower. A stopped scope uses the configuration at its next start. {@link #start(Scope)} also uses it for
     * other scopes of the same type.
     *
     * @param scope the scope
     * @param config the configuration
     * @return the new state of the scope; empty when the scope was never started, and nothing was written
     */
    default Optional<State> reconfigure(Scope scope, ScopeConfig config) {
        return reconfigure(scope, present -> config);
    }

    /**
     * Changes a part of the configuration of a scope, as {@link #reconfigure(Scope, ScopeConfig)} does. For example {@code
     * scopes.reconfigure(scope, config -> config.concurrency("cores*2"))}.
     *
     * @param scope the scope
     * @param change maps the present configuration to the new one; may be called more than once, and must return equal results
     * @return the new state of the scope; empty when the scope was never started, and nothing was written
     */
    Optional<State> reconfigure(Scope scope, UnaryOperator<ScopeConfig> change);

    /**
     * Stops a scope in all processes, and lets running jobs finish without a time limit. From now on, the scope answers {@link
     * Submission.Answer#SCOPE_SHUTDOWN}. Waiting jobs are cancelled with that reason. Returns when the stop is written. {@link
     * #stop(Scope, Duration)} can set a time limit for running jobs afterwards.
     *
     * @param scope the scope; a scope that was never started stays unknown
     */
    void stop(Scope scope);

    /**
     * Stops a scope in all processes. From now on, the scope answers {@link Submission.Answer#SCOPE_SHUTDOWN}. Waiting jobs are
     * cancelled with that reason. Running jobs may finish, and are killed after the timeout. Returns when all this is done, at the
     * latest some seconds after the timeout. For a scope that is stopped already, the call can only shorten the time of its running
     * jobs.
     *
     * @param scope the scope
     * @param timeout how long running jobs may take to finish
     * @return true when no job of the scope waits or runs any more, or the scope was never started. False when a job is left,
     *     because its handler ignores the interrupt or its process is gone (the job ends when its lease expires), or the scope was
     *     started again
     * @throws InterruptedException when interrupted while waiting; the stop goes on
     */
    boolean stop(Scope scope, Duration timeout) throws InterruptedException;

    /**
     * Reads a scope.
     *
     * @param scope the scope
     * @return the state of the scope; empty when it was never started
     */
    Optional<State> state(Scope scope);

    /**
     * Lists the scopes of all types.
     *
     * @return all scopes that were ever started, ordered by type and partition
     */
    List<State> list();

    /**
     * Lists the scopes of a type.
     *
     * @param type the type
     * @return all scopes of the type that were ever started, ordered by partition
     */
    List<State> list(String type);

    /**
     * Submits a job to a scope.
     *
     * @param scope the scope
     * @param job the job; its type is ignored
     * @return the answer of the scope
     * @throws io.couchjobs.job.NoTypeTimeoutException when the queue is strict and the scope's type has no timeout
     */
    Submission submit(Scope scope, JobRequest job);

    /**
     * Submits a job to a scope, with a hook for the end of the job.
     *
     * @param scope the scope
     * @param job the job; its type is ignored
     * @param hook called once when the job has ended, regardless of its outcome, if the scope accepts the job; called on a shared
     *     thread, so it must be quick
     * @return the answer of the scope
     */
    Submission submit(Scope scope, JobRequest job, Consumer<Ending> hook);

    /**
     * Submits a job to all running scopes of a type.
     *
     * @param type the type
     * @param job the job; its type is ignored
     * @return the answer of each scope; no answers when no scope is running
     */
    Submission submit(String type, JobRequest job);

    /**
     * Submits a job to all running scopes of a type, with a hook for the end of the job in each scope.
     *
     * @param type the type
     * @param job the job; its type is ignored
     * @param hook called once for each scope that accepts the job
     * @return the answer of each scope; no answers when no scope is running
     */
    Submission submit(String type, JobRequest job, Consumer<Ending> hook);

    /**
     * Submits a job to some scopes: one document per scope, with the same id and correlation id, in one bulk write. Each scope
     * answers separately.
     *
     * @param scopes the scopes
     * @param job the job; its type is ignored
     * @return the answer of each scope
     */
    Submission submit(Collection<Scope> scopes, JobRequest job);

    /**
     * Submits a job to some scopes, with a hook for the end of the job in each scope.
     *
     * @param scopes the scopes
     * @param job the job; its type is ignored
     * @param hook called once for each scope that accepts the job
     * @return the answer of each scope
     */
    Submission submit(Collection<Scope> scopes, JobRequest job, Consumer<Ending> hook);

    /**
     * Adds a listener for the end of jobs that this process submits from now on without a hook, and of jobs whose hook throws. It
     * is called once for each job.
     *
     * @param listener the listener, called on a shared thread, so it must be quick; its exceptions are logged
     * @return a handle that removes the listener when it is closed
     */
    Listening onEnded(Consumer<Ending> listener);

    /**
     * Finds jobs with the same correlation id, such as those of one submit.
     *
     * @param correlationId the correlation id; for a submit without one, the job's id
     * @return the jobs of all scopes, newest first
     */
    List<Job> find(String correlationId);

    /**
     * Finds a job.
     *
     * @param scope the scope of the job
     * @param id the id of the job
     * @return the job; empty when there is no such job
     */
    Optional<Job> find(Scope scope, String id);

    /**
     * Counts the jobs of a scope by their outcomes.
     *
     * @param scope the scope
     * @return the counts
     */
    Stats stats(Scope scope);

    /**
     * Lists jobs of a scope that have ended.
     *
     * @param scope the scope
     * @param newest the highest number of jobs
     * @return the jobs that ended last, newest first
     */
    List<Job> history(Scope scope, int newest);

    /**
     * Cancels a waiting job. Optionally kills a running job.
     *
     * @param scope the scope of the job
     * @param id the id of the job
     * @param kill whether to interrupt the job if it is running; its {@link Ending} reports when it has stopped
     * @return the answer
     * @throws io.couchjobs.job.NotFoundException when there is no such job
     */
    CancelAnswer cancel(Scope scope, String id, boolean kill);

    /**
     * Stops all serving in this process, see {@link Host#close()}. Hooks and listeners are not called any more. The scopes keep
     * running.
     */
    void close();

    /**
     * The state of a scope, as stored in its document. Immutable and thread-safe.
     *
     * @param scope the scope
     * @param isRunning whether the scope accepts jobs
     * @param config the configuration
     * @param starts the number of starts
     * @param stopTimeout how long running jobs may take to finish after the last stop
     */
    record State(Scope scope, boolean isRunning, ScopeConfig config, long starts, Duration stopTimeout) {}

    /**
     * The statistics of a scope's jobs. Immutable and thread-safe.
     *
     * <p>All numbers except {@code rejected} are counted from the stored jobs, so they stay correct when processes die. Removed
     * jobs, including those that retention deleted, are no longer counted. Each process counts its rejections and writes them once
     * a second. The rejections of the last second are lost when a process dies.
     *
     * @param accepted the number of accepted jobs: the sum of the six numbers after {@code rejected}
     * @param rejected the number of submits with another answer than OK
     * @param queued the jobs that wait for a slot, their scheduled time or a retry
     * @param running the jobs that are running, or claimed to run next
     * @param finished the jobs that succeeded
     * @param killed the jobs that were stopped while they ran
     * @param crashed the jobs that failed permanently
     * @param cancelled the jobs that were cancelled before they ran
     */
    record Stats(
            long accepted,
            long rejected,
            long queued,
            long running,
            long finished,
            long killed,
            long crashed,
            long cancelled) {}

    /** The answers to cancelling a scope's job. Immutable and thread-safe. Source: Riak Core Jobs. */
    enum CancelAnswer {
        /**
         * The job was queued, and is cancelled now. On a cluster, if its last owner died, the job may be cancelled only by its next
         * claim.
         */
        CANCELLED,
        /** The job was running and is being killed: its handler is interrupted, and its result is refused. */
        KILLED,
        /** The job is running, and killing it was not requested; nothing was written. */
        RUNNING,
        /** The job has already ended; nothing was written. */
        FINISHED
    }

    /**
     * Serves the scopes of a type in this process: those that run now, and those that any process starts later. Thread-safe;
     * created by {@link Scopes#serve}.
     *
     * <p>A host acts only on the present state of a scope's document, never on events alone. Errors do not stop it: while the
     * database cannot be reached, it retries with a growing backoff.
     */
    interface Host extends AutoCloseable {
        /** {@return the scopes that this host serves now} */
        Set<Scope> scopes();

        /** Stops serving with the default timeout: 30 s. */
        @Override
        void close();

        /**
         * Stops serving. The scopes themselves keep running. Running jobs may finish; jobs that still run after the timeout wait
         * again. Waiting jobs run where their scope is served next. If the caller is interrupted, the timeout ends at once.
         * Idempotent.
         *
         * @param timeout how long running jobs may take to finish
         */
        void close(Duration timeout);
    }
}
