package io.couchjobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.Engine;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.schedule.QueueSchedules;
import io.couchjobs.engine.scope.QueueScopes;
import io.couchjobs.engine.trigger.FollowerTools;
import io.couchjobs.engine.trigger.QueueTriggers;
import io.couchjobs.engine.trigger.Sources;
import io.couchjobs.engine.watch.JobSubscription;
import io.couchjobs.engine.worker.Canceller;
import io.couchjobs.engine.worker.HandClaims;
import io.couchjobs.engine.worker.QueueWorker;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobData;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPage;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.job.Listening;
import io.couchjobs.job.Logs;
import io.couchjobs.job.Site;
import io.couchjobs.job.Subscription;
import io.couchjobs.schedule.Schedules;
import io.couchjobs.scope.Scopes;
import io.couchjobs.trigger.Triggers;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A queue of jobs in one CouchDB database: the main entry point of couchjobs. Thread-safe. Create one instance per database and
 * process, and close it when done.
 *
 * <p>A program that creates jobs uses {@link #add}. A program that runs jobs starts a {@link #worker()}, or claims them by hand
 * with {@link #accept}. All methods throw {@link io.couchjobs.couch.config.CouchException} when the database cannot be reached,
 * does not exist or refuses the credentials, and {@link IllegalStateException} when the queue is closed. On a cluster, all
 * methods that change or remove a job throw {@link io.couchjobs.job.UnconfirmedException} when no majority of the job's copies
 * confirms the write.
 *
 * <p>Guarantee: an added job runs at least once and has at most one owner at any time. Source: the CouchDB background-jobs RFC
 * (007).
 */
public final class JobQueue implements JobCreator, JobMonitor, AutoCloseable {
    private static final String CLOSED = "the queue is closed";

    private final CouchDatabase database;
    private final Engine engine;
    private final AddRules rules;
    private final Additions additions;
    private final HandClaims handClaims;
    private final Canceller canceller;
    private final Types types;
    private final Schedules schedules;
    private final Triggers triggers;
    private final Sources sources;
    private final Scopes scopes;
    private final Operations operations;
    private final Told<QueueExtension> extensions;
    private final OpenWorkers workers;

    JobQueue(CouchDatabase database, JobQueueBuilder options, Site site) {
        this.database = database;
        this.extensions = new Told<>(options.extensions());
        this.engine = Engine.of(
                database,
                site,
                options.clock(database.server()),
                options.defaultTimeout,
                extensions.all(),
                options.inlineData);
        this.handClaims = new HandClaims(engine.parts(), engine.client(), options.renewLeases);
        this.canceller = new Canceller(engine.creator(), engine.finder());
        this.rules = new AddRules(engine.parts(), options.strict);
        this.additions = new Additions(engine, rules);
        this.schedules = new QueueSchedules(engine.parts(), rules::checkType);
        this.sources = new Sources(database.server(), options.connections());
        FollowerTools tools = new FollowerTools(engine.parts(), engine.creator(), rules, sources);
        this.triggers = new QueueTriggers(tools);
        this.workers = new OpenWorkers(tools);
        this.scopes = new QueueScopes(engine.parts(), engine.listing(), canceller, this::worker, rules::checkType);
        this.types = new Types(engine);
        this.operations = new Operations(engine, types, triggers);
    }

    /**
     * Opens the queue in a database. Creates the database and its design documents if they are missing.
     *
     * @param url the database, such as {@code http://user:password@127.0.0.1:5984/jobs}
     * @param nodes the same database on other nodes of a cluster; see {@link JobQueueBuilder#url}
     * @return the open queue
     */
    public static JobQueue open(String url, String... nodes) {
        JobQueueBuilder builder = builder(url);
        for (String node : nodes) {
            builder.url(node);
        }
        return builder.open();
    }

    /**
     * Returns a builder that opens the queue in a database with options.
     *
     * @param url the database, such as {@code http://127.0.0.1:5984/jobs}
     * @return a builder
     */
    public static JobQueueBuilder builder(URI url) {
        return new JobQueueBuilder(new DatabaseUrl(url));
    }

    /**
     * Returns the same builder as {@link #builder(URI)}, for a URL given as text.
     *
     * @param url the database, such as {@code http://user:password@127.0.0.1:5984/jobs}
     * @return a builder
     * @throws IllegalArgumentException when the text is not a URL; unlike {@link URI#create}, the message shows no password
     */
    public static JobQueueBuilder builder(String url) {
        return new JobQueueBuilder(DatabaseUrl.parse(url));
    }

    /** {@return the database} */
    public CouchDatabase database() {
        return database;
    }

    @Override
    public AddResult add(JobRequest request) {
        return additions.add(request);
    }

    /**
     * Adds an array of items; see {@link JobArrays#add(JobType, String, Iterable)}.
     *
     * @param type the type
     * @param id the id of the array
     * @param items the data of the items
     * @param <T> the type of the data
     * @return the number of items this call added; 0 when all items existed already
     */
    public <T> long addArray(JobType<T> type, String id, Iterable<? extends T> items) {
        return arrays().add(type, id, items);
    }

    @Override
    public CompletableFuture<AddResult> addAsync(JobRequest request) {
        return additions.addAsync(request);
    }

    @Override
    public List<AddResult> addAll(List<JobRequest> requests) {
        return additions.addAll(requests, false);
    }

    @Override
    public List<AddResult> replaceAll(List<JobRequest> requests) {
        return additions.addAll(requests, true);
    }

    @Override
    public Job insert(JobRequest request) {
        return additions.insert(request);
    }

    @Override
    public List<AddResult> insert(List<JobRequest> requests) {
        return additions.insert(requests);
    }

    @Override
    public boolean insertIfNew(JobRequest request) {
        return additions.insertIfNew(request);
    }

    @Override
    public List<Boolean> insertIfNew(List<JobRequest> requests) {
        return additions.insertIfNew(requests);
    }

    @Override
    public CancelResult cancel(JobId id, CancelMode mode) {
        return canceller.cancel(id, mode, null);
    }

    @Override
    public CancelResult cancel(JobId id, CancelMode mode, String reason) {
        return canceller.cancel(id, mode, reason);
    }

    @Override
    public Job retryNow(JobId id) {
        return engine.creator().change(id, "cannot be retried", (job, now) -> Transitions.retry(job, null, now));
    }

    @Override
    public Job retryNow(JobId id, String reason) {
        return engine.creator().change(id, "cannot be retried", (job, now) -> Transitions.retry(job, reason, now));
    }

    @Override
    public Job reschedule(JobId id, Instant time) {
        return engine.creator()
                .change(id, "cannot be rescheduled", (job, now) -> Transitions.reschedule(job, time, now));
    }

    @Override
    public Job setPriority(JobId id, int priority) {
        return engine.creator()
                .change(id, "its priority cannot be changed", (job, now) -> Transitions.prioritize(job, priority, now));
    }

    @Override
    public Job resubmit(JobId id) {
        return resubmit(id, null, null);
    }

    @Override
    public Job resubmit(JobId id, Instant time) {
        return resubmit(id, time, null);
    }

    @Override
    public Job resubmit(JobId id, Instant time, Object data) {
        return resubmit(id, time, JobData.of(data));
    }

    private Job resubmit(JobId id, @Nullable Instant time, @Nullable ObjectNode data) {
        return engine.creator()
                .change(id, "cannot be resubmitted", (job, now) -> Transitions.resubmit(job, time, data, now));
    }

    @Override
    public void remove(JobId id) {
        // Read before the removal, so that a job that is added again meanwhile keeps its log.
        List<ObjectNode> log = engine.logs().tombstonesOf(id);
        engine.creator().remove(id);
        engine.logs().write(log);
    }

    @Override
    public Optional<Job> get(JobId id) {
        return read(id).map(this::withData);
    }

    @Override
    public JobPhase phase(JobId id) {
        return read(id).map(Job::phase).orElse(JobPhase.NOT_FOUND);
    }

    private Optional<Job> read(JobId id) {
        return engine.parts().store().read(id);
    }

    @Override
    public Job withData(Job job) {
        return engine.parts().store().withData(job);
    }

    @Override
    public Stream<Job> withData(Stream<Job> jobs) {
        return engine.parts().store().withData(jobs);
    }

    @Override
    public Stream<Job> all(JobFilter filter) {
        return engine.listing().all(filter);
    }

    @Override
    public List<Job> list(JobFilter filter, int limit) {
        return engine.listing().list(filter, limit);
    }

    @Override
    public JobPage page(JobFilter filter, JobPage.@Nullable Place after, int limit) {
        return engine.listing().page(filter, after, limit);
    }

    @Override
    public Optional<Job> await(JobId id, Set<JobStatus> statuses, Duration timeout) throws InterruptedException {
        return engine.watch().await(id, job -> statuses.contains(job.status()), timeout);
    }

    @Override
    public Listening watch(JobFilter filter, Consumer<JobChange> listener, Runnable whenMissed) {
        return engine.watch().follow(filter, listener, whenMissed);
    }

    @Override
    public Subscription subscribe(JobId id, Object subscriber) {
        return engine.watch().subscriptions().subscribe(id, subscriber);
    }

    @Override
    public Map<JobId, Subscription> subscribe(Collection<JobId> ids) {
        return new LinkedHashMap<>(engine.watch().subscriptions().subscribeAll(ids, Thread.currentThread()));
    }

    /**
     * Waits for the first event of any of the given subscriptions. Events of the other subscriptions are kept.
     *
     * @param subscriptions any number of subscriptions, from any queues of this process
     * @param timeout the longest time to wait; zero checks without waiting
     * @return the event, which names its job; empty after the timeout, or as soon as all subscriptions are closed
     * @throws InterruptedException when interrupted before or while waiting; no event is lost
     */
    public Optional<JobChange> await(Collection<Subscription> subscriptions, Duration timeout)
            throws InterruptedException {
        List<JobSubscription> all =
                subscriptions.stream().map(JobSubscription.class::cast).toList();
        return JobSubscription.awaitAny(all, timeout);
    }

    /**
     * Claims due jobs, and waits for one if there is none. The caller must finish, fail or release each job, even when its own
     * code fails: the queue renews the leases as long as this process lives ({@link JobQueueBuilder#renewLeases}). From the first
     * call until the queue is closed, this process also expires the claims of dead owners, as a worker does.
     *
     * @param options which jobs to claim, how many, and how long to wait
     * @return the jobs, owned by the caller; empty after the timeout
     * @throws InterruptedException when interrupted while waiting
     * @throws IllegalStateException when the queue is closed meanwhile
     */
    public List<ClaimedJob> accept(AcceptOptions options) throws InterruptedException {
        return List.copyOf(handClaims.accept(engine.finder(), options));
    }

    /**
     * Claims a given job now, even before its scheduled time and while its type is paused. Intended for manual intervention. The
     * caller must end the job, as for {@link #accept}.
     *
     * <p>A job with conflicts is not claimed, because another leaf may have an owner. The conflict is resolved in the background,
     * so the caller can try again a moment later.
     *
     * @param id the job
     * @return the job, owned by the caller. Empty when the job is not pending, waits for other jobs, has conflicts, exceeds a
     *     limit, belongs to another site, or was claimed by another owner. Also empty when this call only had to end the job
     * @throws io.couchjobs.job.NotFoundException when there is no such job
     */
    public Optional<ClaimedJob> claim(JobId id) {
        handClaims.begin(Set.of(id.type()));
        List<LeasedJob> claim = engine.finder().claim(id, job -> true).stream().toList();
        return handClaims.hold(claim).stream().map(ClaimedJob.class::cast).findFirst();
    }

    /** {@return a builder for a worker that runs jobs of this queue} */
    public WorkerBuilder worker() {
        WorkerBuilder worker = QueueWorker.builder(engine.parts(), workers);
        extensions.tell(extension -> extension.worker(worker));
        return worker;
    }

    /** {@return the recurring jobs of this queue} */
    public Schedules schedules() {
        return schedules;
    }

    /** {@return the triggers of this queue, which create jobs from the changes of other databases} */
    public Triggers triggers() {
        return triggers;
    }

    /** {@return the scopes of this queue: jobs grouped by type and partition, each group with its own service} */
    public Scopes scopes() {
        return scopes;
    }

    /** {@return the job types, with their settings and job counts} */
    public Types types() {
        return types;
    }

    /** {@return the job arrays of this queue, which store many items in few documents} */
    public JobArrays arrays() {
        return new JobArrays(engine, rules);
    }

    /** {@return the logs of the jobs} */
    public Logs logs() {
        return engine.logs();
    }

    /** {@return the operations for administrators} */
    public Operations operations() {
        return operations;
    }

    void tellOpened() {
        extensions.begin(extension -> extension.opened(this));
    }

    /**
     * Closes the workers that are still open by {@link Worker#close(Duration)} with a zero timeout. Waits until the database has
     * answered for all jobs of {@link #addAsync}. Then stops the scope services, waiting {@link #accept} calls, the feed and all
     * connections. Afterwards all methods that need the database throw {@link IllegalStateException}. An exception in one part does
     * not keep the others open; the first one is thrown at the end.
     */
    @Override
    public void close() {
        Closing.all(
                workers::close,
                engine.alarms()::close,
                engine.asyncCreator()::close,
                () -> extensions.end(extension -> extension.closed(this)),
                scopes::close,
                sources::close,
                engine.finder()::close,
                handClaims::close,
                engine.watch()::close,
                engine.parts().feed()::close,
                engine.conflicts()::close,
                engine.parts().store()::close,
                engine.warmer()::close,
                engine.designs()::close,
                () -> database.server().close(CLOSED));
    }

    @Override
    public String toString() {
        return "JobQueue[" + database.name() + "]";
    }
}
