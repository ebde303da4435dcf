package io.couchjobs.scope;

import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.index.JobLists;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The scopes of a queue: jobs by type and partition, each with a service that can be started and stopped, and that takes only so
 * many. Thread-safe; made by {@link io.couchjobs.JobQueue#scopes()}. Source: Riak Core Jobs; unlike there, jobs are documents: when a
 * service dies, nothing is lost, and they run on where the scope is served next.
 *
 * <p>A scope is started, stopped and given jobs by any process, and served by those that say so ({@link #serve}). All methods throw
 * {@link io.couchjobs.couch.config.CouchException} when the database cannot be used.
 */
public final class Scopes implements AutoCloseable {
    private static final Duration LONGEST_STOP = Duration.ofDays(1000);
    /** How long, after the deadline of a stop, killed handlers have to end. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Tools tools;
    private final JobLists lists;
    private final Creator creator;
    private final Submitter submitter;
    private final Supplier<WorkerBuilder> workers;
    private final Set<ScopeHost> hosts = new CopyOnWriteArraySet<>();

    /**
     * Works on the scopes of a database. No I/O.
     *
     * @param parts what it works with
     * @param lists lists of jobs
     * @param workers makes builders of the services' workers
     * @param admission throws when a job may not be added to the queue
     */
    public Scopes(QueueParts parts, JobLists lists, Supplier<WorkerBuilder> workers, Consumer<JobRequest> admission) {
        ScopeStore scopes = new ScopeStore(new SharedDocuments(parts.store().database()));
        this.lists = lists;
        this.workers = workers;
        this.creator = new Creator(parts.store(), parts.clock());
        this.tools = new Tools(
                parts,
                scopes,
                new Clearance(scopes, lists, parts),
                new Endings(parts.feed(), parts.store()),
                new Rejections(scopes));
        this.submitter = new Submitter(tools, admission);
    }

    /**
     * Lets this process serve the scopes of a type: those that run now, and those that anybody starts later. Returns at once; while
     * the database is away it tries until it is back. A process that serves some types more than once has that many
     * services for each of their scopes, as several processes have.
     *
     * @param service how
     * @return ends it when closed
     * @throws IllegalArgumentException when the service's functions fail when they are tried
     */
    public ScopeHost serve(ScopeService<?> service) {
        service.probe();
        ScopeHost[] self = new ScopeHost[1];
        ScopeHost host = new ScopeHost(tools, service, workers, () -> {
            submitter.services().remove(service);
            hosts.remove(self[0]);
        });
        self[0] = host;
        submitter.services().add(service);
        hosts.add(host);
        host.start();
        return host;
    }

    /**
     * Starts a scope with the configuration that was given last for any scope of its type, or else the defaults. One that runs
     * already goes on as it is.
     *
     * @param scope the scope
     * @return the scope as it runs
     */
    public ScopeState start(Scope scope) {
        return tools.scopes().start(scope, null);
    }

    /**
     * Starts a scope. One that runs already goes on as it is: the configuration is ignored.
     *
     * @param scope the scope
     * @param config how much it takes; {@link ScopeConfig#DEFAULTS} are the defaults, whatever was given before
     * @return the scope as it runs
     */
    public ScopeState start(Scope scope, ScopeConfig config) {
        return tools.scopes().start(scope, config);
    }

    /**
     * Stops a scope in all processes. From now on it answers {@link Answer#SCOPE_SHUTDOWN}; what waits there is cancelled with that
     * reason; what runs may finish, and is killed when the time is over. Returns when all that is done, at the latest some
     * seconds after that time. A scope that is stopped already is given less time if it had more.
     *
     * @param scope the scope
     * @param timeout how long running jobs may take
     * @return true when nothing waits or runs there any more, or it was never started; false when something still does, because its handler does not let
     *     itself be interrupted or its process is gone (it ends when its lease runs out), or the scope was started again
     * @throws InterruptedException when interrupted while waiting; the stop goes on
     */
    public boolean stop(Scope scope, Duration timeout) throws InterruptedException {
        Duration patience = timeout.compareTo(LONGEST_STOP) > 0 ? LONGEST_STOP : timeout;
        if (patience.isNegative()) {
            throw new IllegalArgumentException("timeout must not be negative: " + timeout);
        }
        tools.scopes().stop(scope, patience);
        if (state(scope).isEmpty()) {
            return true;
        }
        return new Drain(tools, scope).await(patience.plus(GRACE));
    }

    /**
     * Reads a scope.
     *
     * @param scope the scope
     * @return how it is now; empty when it was never started
     */
    public Optional<ScopeState> state(Scope scope) {
        return tools.scopes().read(scope);
    }

    /**
     * Lists the scopes of a type.
     *
     * @param type the type
     * @return those that were ever started, by partition
     */
    public List<ScopeState> list(String type) {
        return tools.scopes().readAll(type);
    }

    /**
     * Gives a job to a scope.
     *
     * @param scope the scope
     * @param job the job; its type does not matter
     * @return what the scope says
     * @throws io.couchjobs.job.NoTypeTimeoutException when the queue is strict and the scope's type has no timeout
     */
    public Submission submit(Scope scope, JobRequest job) {
        return submitter.submit(List.of(scope), job, null);
    }

    /**
     * Gives a job to a scope, and hears how it ends.
     *
     * @param scope the scope
     * @param job the job; its type does not matter
     * @param hook called once if the scope takes the job, when it has ended, in whatever way; on a shared thread: must be quick
     * @return what the scope says
     */
    public Submission submit(Scope scope, JobRequest job, Consumer<Ending> hook) {
        return submitter.submit(List.of(scope), job, hook);
    }

    /**
     * Gives a job to all running scopes of a type.
     *
     * @param type the type
     * @param job the job; its type does not matter
     * @return what each of them says; no answers when none is running
     */
    public Submission submit(String type, JobRequest job) {
        return submitter.submit(running(type), job, null);
    }

    /**
     * Gives a job to all running scopes of a type, and hears how it ends in each.
     *
     * @param type the type
     * @param job the job; its type does not matter
     * @param hook called once for each scope that takes the job
     * @return what each of them says; no answers when none is running
     */
    public Submission submit(String type, JobRequest job, Consumer<Ending> hook) {
        return submitter.submit(running(type), job, hook);
    }

    /**
     * Gives a job to some scopes: one document per scope, with the same id and correlation id, in one bulk write. Each answers for
     * itself.
     *
     * @param scopes the scopes
     * @param job the job; its type does not matter
     * @return what each of them says
     */
    public Submission submit(Collection<Scope> scopes, JobRequest job) {
        return submitter.submit(scopes, job, null);
    }

    /**
     * Gives a job to some scopes, and hears how it ends in each.
     *
     * @param scopes the scopes
     * @param job the job; its type does not matter
     * @param hook called once for each scope that takes the job
     * @return what each of them says
     */
    public Submission submit(Collection<Scope> scopes, JobRequest job, Consumer<Ending> hook) {
        return submitter.submit(scopes, job, hook);
    }

    /**
     * Hears how the jobs end that this process submits from now on without a hook, and those whose hook fails: once each.
     *
     * @param listener called on a shared thread: must be quick; what it throws is logged
     * @return ends the listening when closed
     */
    public Listening onEnded(Consumer<Ending> listener) {
        return tools.endings().listen(listener);
    }

    /**
     * Finds the jobs that belong together, such as those of one submit.
     *
     * @param correlationId what they have in common; of a submit that named none, the job's id
     * @return the jobs, in whatever scopes, newest first
     */
    public List<Job> find(String correlationId) {
        return lists.all(JobFilter.all().correlationId(correlationId))
                .filter(job -> Scope.ofJobType(job.type()).isPresent())
                .toList();
    }

    /**
     * Finds a job.
     *
     * @param scope its scope
     * @param id its id
     * @return the job; empty when there is none
     */
    public Optional<Job> find(Scope scope, String id) {
        return tools.parts().store().read(scope.job(id));
    }

    /**
     * Counts what became of the jobs of a scope.
     *
     * @param scope the scope
     * @return the counts
     */
    public ScopeStats stats(Scope scope) {
        tools.rejections().tell();
        return ScopeStats.of(
                tools.parts().index().counts(scope.jobType()), tools.scopes().rejected(scope));
    }

    /**
     * The jobs of a scope that have ended.
     *
     * @param scope the scope
     * @param newest how many at most
     * @return those that ended last, newest first
     */
    public List<Job> history(Scope scope, int newest) {
        JobFilter ofScope = JobFilter.all().type(scope.jobType());
        return Stream.of(JobStatus.SUCCESS, JobStatus.FAILED, JobStatus.CANCELLED)
                .flatMap(status -> lists.list(ofScope.status(status), newest).stream())
                .sorted(Comparator.comparing(Scopes::ended).reversed())
                .limit(newest)
                .toList();
    }

    /**
     * Cancels a job that waits, and if so wanted kills one that runs.
     *
     * @param scope its scope
     * @param id its id
     * @param kill whether to interrupt it when it runs; its {@link Ending} tells when it has stopped
     * @return what happened
     * @throws io.couchjobs.job.JobNotFoundException when there is no such job
     */
    public CancelAnswer cancel(Scope scope, String id, boolean kill) {
        JobId job = scope.job(id);
        CancelResult result = creator.cancel(job, kill ? CancelMode.REQUEST : CancelMode.IF_QUEUED);
        return switch (result) {
            case CANCELLED -> CancelAnswer.CANCELLED;
            case REQUESTED -> CancelAnswer.KILLED;
            case RUNNING -> CancelAnswer.RUNNING;
            case ALREADY_FINISHED -> CancelAnswer.FINISHED;
        };
    }

    /** Ends what this process serves, see {@link ScopeHost#close()}; no ending is told any more. The scopes keep running. */
    @Override
    public void close() {
        hosts.forEach(ScopeHost::close);
        tools.rejections().close();
        tools.endings().close();
    }

    private List<Scope> running(String type) {
        return list(type).stream()
                .filter(ScopeState::isRunning)
                .map(ScopeState::scope)
                .toList();
    }

    private static Instant ended(Job job) {
        return job.times().getOrDefault("finished", job.scheduledTime());
    }

    @Override
    public String toString() {
        return "Scopes" + hosts;
    }
}
