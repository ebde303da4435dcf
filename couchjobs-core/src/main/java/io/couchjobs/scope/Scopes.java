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
 * The scopes of a queue: jobs by type and partition, each with a service that can be started and stopped, and that
 * takes only so many. Thread-safe; made by {@link io.couchjobs.JobQueue#scopes()}. Source: Riak Core Jobs; unlike
 * there, jobs are documents: when a service dies, nothing is lost, and they run on where the scope is served next.
 *
 * <p>A scope is started, stopped and given jobs by any process, and served by those that say so ({@link #serve}). All methods throw
 * {@link io.couchjobs.couch.config.CouchException} when the database cannot be used, and those that write {@link
 * io.couchjobs.job.UnconfirmedException} when no majority of a cluster's copies confirms it: then they may be called again.
 */
public interface Scopes {
    /**
     * Lets this process serve the scopes of a type: those that run now, and those that anybody starts later. Returns at once; while
     * the database is away it tries until it is back. A process that serves some types more than once has that many
     * services for each of their scopes, as several processes have.
     *
     * @param service how
     * @return ends it when closed
     * @throws IllegalArgumentException when the service's functions fail when they are tried
     * @throws IllegalStateException when the queue is closed
     */
    Host serve(ScopeService<?> service);

    /**
     * Starts a scope with the configuration that was given last for any scope of its type, or else the defaults. One that runs
     * already goes on as it is.
     *
     * @param scope the scope
     * @return the scope as it runs
     */
    State start(Scope scope);

    /**
     * Starts a scope. One that runs already goes on as it is: the configuration is ignored.
     *
     * @param scope the scope
     * @param config how much it takes; {@link ScopeConfig#DEFAULTS} are the defaults, whatever was given before
     * @return the scope as it runs
     */
    State start(Scope scope, ScopeConfig config);

    /**
     * Changes the configuration of a scope. Where it is served the change has effect within a second: with more concurrency more
     * jobs start; with less none is stopped, and none starts until fewer run. Jobs that were taken before stay, also when the queue
     * limit is less now. A stopped scope starts with it next time. It is the last one given for the scope's type: {@link #start(Scope)}
     * uses it.
     *
     * @param scope the scope
     * @param config how much it takes
     * @return the scope as it is now; empty when it was never started, and nothing was written
     */
    default Optional<State> reconfigure(Scope scope, ScopeConfig config) {
        return reconfigure(scope, present -> config);
    }

    /**
     * Changes a part of the configuration of a scope, as {@link #reconfigure(Scope, ScopeConfig)} does. For example {@code
     * scopes.reconfigure(scope, config -> config.concurrency("cores*2"))}.
     *
     * @param scope the scope
     * @param change what becomes of the configuration; may be called more than once, and must give the same each time
     * @return the scope as it is now; empty when it was never started, and nothing was written
     */
    Optional<State> reconfigure(Scope scope, UnaryOperator<ScopeConfig> change);

    /**
     * Stops a scope in all processes, and lets running jobs finish however long they take. From now on it answers {@link
     * Submission.Answer#SCOPE_SHUTDOWN}. Waiting jobs are cancelled with that reason. Returns when the stop is written. {@link
     * #stop(Scope, Duration)} can give running jobs less time afterwards.
     *
     * @param scope the scope; one that was never started stays unknown
     */
    void stop(Scope scope);

    /**
     * Stops a scope in all processes. From now on it answers {@link Submission.Answer#SCOPE_SHUTDOWN}. Waiting jobs are
     * cancelled with that reason. Running jobs may finish, and are killed when the time is over. Returns when all that is done,
     * at the latest some seconds after that time. A scope that is stopped already is given less time if it had more.
     *
     * @param scope the scope
     * @param timeout how long running jobs may take
     * @return true when nothing waits or runs there any more, or it was never started; false when something still does, because
     *     its handler does not let itself be interrupted or its process is gone (it ends when its lease runs out), or the scope
     *     was started again
     * @throws InterruptedException when interrupted while waiting; the stop goes on
     */
    boolean stop(Scope scope, Duration timeout) throws InterruptedException;

    /**
     * Reads a scope.
     *
     * @param scope the scope
     * @return how it is now; empty when it was never started
     */
    Optional<State> state(Scope scope);

    /**
     * Lists the scopes of all types.
     *
     * @return those that were ever started, by type and partition
     */
    List<State> list();

    /**
     * Lists the scopes of a type.
     *
     * @param type the type
     * @return those that were ever started, by partition
     */
    List<State> list(String type);

    /**
     * Gives a job to a scope.
     *
     * @param scope the scope
     * @param job the job; its type does not matter
     * @return what the scope says
     * @throws io.couchjobs.job.NoTypeTimeoutException when the queue is strict and the scope's type has no timeout
     */
    Submission submit(Scope scope, JobRequest job);

    /**
     * Gives a job to a scope, and hears how it ends.
     *
     * @param scope the scope
     * @param job the job; its type does not matter
     * @param hook called once if the scope takes the job, when it has ended, in whatever way; on a shared thread: must be quick
     * @return what the scope says
     */
    Submission submit(Scope scope, JobRequest job, Consumer<Ending> hook);

    /**
     * Gives a job to all running scopes of a type.
     *
     * @param type the type
     * @param job the job; its type does not matter
     * @return what each of them says; no answers when none is running
     */
    Submission submit(String type, JobRequest job);

    /**
     * Gives a job to all running scopes of a type, and hears how it ends in each.
     *
     * @param type the type
     * @param job the job; its type does not matter
     * @param hook called once for each scope that takes the job
     * @return what each of them says; no answers when none is running
     */
    Submission submit(String type, JobRequest job, Consumer<Ending> hook);

    /**
     * Gives a job to some scopes: one document per scope, with the same id and correlation id, in one bulk write. Each answers for
     * itself.
     *
     * @param scopes the scopes
     * @param job the job; its type does not matter
     * @return what each of them says
     */
    Submission submit(Collection<Scope> scopes, JobRequest job);

    /**
     * Gives a job to some scopes, and hears how it ends in each.
     *
     * @param scopes the scopes
     * @param job the job; its type does not matter
     * @param hook called once for each scope that takes the job
     * @return what each of them says
     */
    Submission submit(Collection<Scope> scopes, JobRequest job, Consumer<Ending> hook);

    /**
     * Hears how the jobs end that this process submits from now on without a hook, and those whose hook fails: once each.
     *
     * @param listener called on a shared thread: must be quick; what it throws is logged
     * @return ends the listening when closed
     */
    Listening onEnded(Consumer<Ending> listener);

    /**
     * Finds the jobs that belong together, such as those of one submit.
     *
     * @param correlationId what they have in common; of a submit that named none, the job's id
     * @return the jobs, in whatever scopes, newest first
     */
    List<Job> find(String correlationId);

    /**
     * Finds a job.
     *
     * @param scope its scope
     * @param id its id
     * @return the job; empty when there is none
     */
    Optional<Job> find(Scope scope, String id);

    /**
     * Counts what became of the jobs of a scope.
     *
     * @param scope the scope
     * @return the counts
     */
    Stats stats(Scope scope);

    /**
     * The jobs of a scope that have ended.
     *
     * @param scope the scope
     * @param newest how many at most
     * @return those that ended last, newest first
     */
    List<Job> history(Scope scope, int newest);

    /**
     * Cancels a job that waits, and if so wanted kills one that runs.
     *
     * @param scope its scope
     * @param id its id
     * @param kill whether to interrupt it when it runs; its {@link Ending} tells when it has stopped
     * @return what happened
     * @throws io.couchjobs.job.NotFoundException when there is no such job
     */
    CancelAnswer cancel(Scope scope, String id, boolean kill);

    /** Ends what this process serves, see {@link Host#close()}; no ending is told any more. The scopes keep running. */
    void close();

    /**
     * A scope as its document says it is. Immutable and thread-safe.
     *
     * @param scope the scope
     * @param isRunning whether it takes jobs
     * @param config its configuration
     * @param starts how often it was started
     * @param stopTimeout how long running jobs may go on after the last stop
     */
    record State(Scope scope, boolean isRunning, ScopeConfig config, long starts, Duration stopTimeout) {}

    /**
     * The numbers of a scope's jobs. Immutable and thread-safe.
     *
     * <p>All but {@code rejected} is counted by the jobs themselves, so it is right although processes die and start again;
     * jobs that were removed, by hand or by retention, do not count any more. Rejections are counted by each process and
     * written once a second: a process that dies takes its last second with it.
     *
     * @param accepted jobs taken: the sum of the six below {@code rejected}
     * @param rejected submits that got another answer than OK
     * @param queued waiting, for a place, their time or a retry
     * @param running running, or claimed to run next
     * @param finished ended well
     * @param killed stopped while they ran
     * @param crashed failed for good
     * @param cancelled cancelled before they ran
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

    /** The answers to a cancel of a scope's job. Immutable and thread-safe. Source: Riak Core Jobs. */
    enum CancelAnswer {
        /** It was queued, and is cancelled now. On a cluster its next claim may cancel it, when its last owner died. */
        CANCELLED,
        /** It was running and is being killed: its handler is interrupted, its result refused. */
        KILLED,
        /** It is running, and nobody wanted it killed; nothing was written. */
        RUNNING,
        /** It has ended before; nothing was written. */
        FINISHED
    }

    /**
     * Serves the scopes of a type in this process: those that run, and those that are started later, by whichever process. Thread-safe;
     * made by {@link Scopes#serve}.
     *
     * <p>It believes no event: what it does follows from the scope's document as it is when it looks. It outlives every trouble:
     * while the database is away it tries again with growing pauses.
     */
    interface Host extends AutoCloseable {
        /** {@return the scopes that it serves now} */
        Set<Scope> scopes();

        /** Closes with the default time: 30 s. */
        @Override
        void close();

        /**
         * Stops serving. The scopes themselves keep running. Running jobs may finish; those that have not finished when the
         * time is over go back to waiting. Waiting jobs run wherever their scope is served next. When the caller is
         * interrupted, the time is over at once. Closing twice does nothing.
         *
         * @param timeout how long the running jobs may take
         */
        void close(Duration timeout);
    }
}
