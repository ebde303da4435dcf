package io.couchjobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.admin.QueueSecurity;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.Engine;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.create.Restorer;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.gc.GarbageCollector;
import io.couchjobs.engine.index.JobPages;
import io.couchjobs.engine.index.Parallel;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.registry.WorkerList;
import io.couchjobs.engine.schedule.QueueSchedules;
import io.couchjobs.engine.scope.QueueScopes;
import io.couchjobs.engine.store.NewDatabase;
import io.couchjobs.engine.store.SiteDocument;
import io.couchjobs.engine.watch.JobSubscription;
import io.couchjobs.engine.worker.QueueWorker;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.After;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobData;
import io.couchjobs.job.JobEvent;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobNotFoundException;
import io.couchjobs.job.JobPage;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobState;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import io.couchjobs.job.LogChunk;
import io.couchjobs.job.LogFollowing;
import io.couchjobs.job.NoTypeTimeoutException;
import io.couchjobs.job.QueueFullException;
import io.couchjobs.job.Site;
import io.couchjobs.job.Subscription;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.schedule.Schedules;
import io.couchjobs.scope.Scopes;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of jobs in one CouchDB database: the front door of couchjobs. Thread-safe; make one per database and process, and
 * close it.
 *
 * <p>A program that creates jobs uses {@link #add}. A program that runs jobs starts a {@link #worker()}, or claims them
 * by hand with {@link #accept}. All methods throw {@link io.couchjobs.couch.config.CouchException} when the database
 * cannot be reached, does not exist or refuses the credentials, and {@link IllegalStateException} when the queue is
 * closed. On a cluster all methods that change or remove a job throw {@link io.couchjobs.job.UnconfirmedException} when
 * no majority of its copies confirms that.
 *
 * <p>Guarantee: a job that was added is run at least once, and has at most one owner at any time. Source: the CouchDB
 * background-jobs RFC (007).
 */
public final class JobQueue implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JobQueue.class);

    private static final String CLOSED = "the queue is closed";

    private final CouchDatabase database;
    private final Engine engine;
    private final TypeRule types;
    private final Schedules schedules;
    private final Scopes scopes;
    private final Operations operations;
    private final List<QueueExtension> extensions;
    /** Those that are open. */
    private final Set<Worker> workers = ConcurrentHashMap.newKeySet();

    JobQueue(CouchDatabase database, JobQueueBuilder options) {
        this(database, options, Site.UNNAMED);
    }

    JobQueue(CouchDatabase database, JobQueueBuilder options, Site site) {
        this.database = database;
        this.extensions = options.extensions();
        this.engine = Engine.of(
                database,
                site,
                options.clock(database.server()),
                options.defaultTimeout(),
                extensions,
                options.largestInlineData());
        this.types = new TypeRule(engine.settings(), options.strict());
        this.schedules = new QueueSchedules(engine.parts(), types::require);
        this.scopes = new QueueScopes(engine.parts(), engine.lists(), this::worker, types::require);
        this.operations = new Operations(engine.designs(), engine.index(), engine.conflicts());
    }

    /**
     * Opens the queue in a database. Creates the database and its design documents where they are missing.
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
     * Starts to open the queue in a database, with options.
     *
     * @param url the database, such as {@code http://127.0.0.1:5984/jobs}
     * @return a builder
     */
    public static JobQueueBuilder builder(URI url) {
        return new JobQueueBuilder(url);
    }

    /**
     * As {@link #builder(URI)}, of an address as somebody wrote it.
     *
     * @param url the database, such as {@code http://user:password@127.0.0.1:5984/jobs}
     * @return a builder
     * @throws IllegalArgumentException it is no URL; unlike that of {@link URI#create} the message shows no password
     */
    public static JobQueueBuilder builder(String url) {
        return builder(JobQueueBuilder.parsed(url));
    }

    /** {@return the database} */
    public CouchDatabase database() {
        return database;
    }

    /**
     * Creates the database and its design documents where they are missing. Idempotent; any number of processes may do it at
     * the same time.
     *
     * @return what was missing
     */
    public Operations.InitReport init() {
        boolean created = NewDatabase.createIfMissing(database, site());
        return new Operations.InitReport(created, engine.designs().push(), site());
    }

    /** {@return which of several databases that replicate to each other this queue works as} */
    public Site site() {
        return engine.parts().store().site();
    }

    /**
     * Names the database, among several that replicate to each other; the name itself is not replicated. Holds for queues that
     * are opened from now on; this one keeps to {@link #site}.
     *
     * @param site its name, and whether it takes the jobs without a site; {@link Site#UNNAMED} takes the name away
     */
    public void nameSite(Site site) {
        new SiteDocument(database).write(site);
    }

    /**
     * Adds a job with a random id, due at once.
     *
     * @param type the type
     * @param data a record, bean, map or JSON object
     * @return what happened
     * @throws InvalidJobDataException when the data is not a JSON object; nothing was sent
     */
    public AddResult add(String type, Object data) {
        return add(JobRequest.of(type, data));
    }

    /**
     * Adds a job, by the state it is in. Absent or finished: it waits for its time. Pending with another time: time and data
     * are replaced. Pending with the same time: nothing is written. Running: it will run once more afterwards, at the new
     * time; the data is ignored and its worker is not disturbed.
     *
     * @param request the job
     * @return what happened
     * @throws NoTypeTimeoutException when the queue is strict and the type has no timeout
     * @throws QueueFullException when the job is new and its type has as many pending jobs as it may have
     * @throws io.couchjobs.job.WriteRefusedException when the database's own rules refuse it, for example a guard
     */
    public AddResult add(JobRequest request) {
        types.require(request);
        engine.limits().require(request);
        return engine.creator().addOne(request);
    }

    /**
     * Adds a job as {@link #add} does, without waiting for the answer. Many that are added one after the other go in bulk
     * requests: nearly as fast as by {@link #addAll}, from any number of threads. A caller that adds faster than the database
     * stores is held up once 16,000 jobs, or 16 MB of them, are on their way; {@link #close} waits for all.
     *
     * <p>The job is safe only when the future is completed: until then it may be lost with the process. Stages that depend on
     * the future run on one of a few threads of the queue, so they should be quick. Long ones belong on other threads, by the
     * {@code Async} methods of the future.
     *
     * @param request the job; changes of its data from now on count for nothing
     * @return what happened, or exceptionally what {@link #add} throws after it has sent something
     * @throws NoTypeTimeoutException when the queue is strict and the type has no timeout
     * @throws QueueFullException when the job is new and its type has as many pending jobs as it may have
     * @throws IllegalStateException when the queue is closed
     */
    public CompletableFuture<AddResult> addAsync(JobRequest request) {
        types.require(request);
        engine.limits().require(request);
        return engine.asyncCreator().add(request);
    }

    /**
     * Adds jobs in one bulk write. One that cannot be added is rejected (in a strict queue also one whose type has no
     * timeout), and does not stop the others.
     *
     * <p>A job that waits for others of the same call is written after them, in a bulk write of its own, so that it never runs on
     * what they were before. It is rejected when one of them is, and replaced when it is pending.
     *
     * @param requests the jobs
     * @return in the same order, what happened to each
     */
    public List<AddResult> addAll(List<JobRequest> requests) {
        return new AwaitedFirst(requests).add(this::addRound, false);
    }

    /**
     * Adds jobs as {@link #addAll} does, but replaces the data of a pending job even when its time stays the same.
     *
     * @param requests the jobs
     * @return in the same order, what happened to each
     */
    public List<AddResult> replaceAll(List<JobRequest> requests) {
        return new AwaitedFirst(requests).add(this::addRound, true);
    }

    private List<AddResult> addRound(List<JobRequest> requests, boolean replace) {
        return types.allowed(requests, jobs -> engine.limits()
                .allowed(jobs, fitting -> engine.creator().add(fitting, replace)));
    }

    /**
     * Adds jobs, and one that runs when all of them are finished: first the jobs, then the one that waits, see {@link #addAll}.
     * A crash in between leaves the jobs without it; the same call adds what is missing. Source: what users of other queues
     * call a batch.
     *
     * @param jobs the jobs, at least one, at most {@value After#MOST}
     * @param completion the job that comes after; by default it is cancelled as soon as one of the others fails, unless its
     *     {@link JobRequest.Builder#onFailure} says otherwise
     * @return in the same order, what happened to each; the completion's is the last
     * @throws IllegalArgumentException when there are no jobs, or too many
     */
    public List<AddResult> addBatch(List<JobRequest> jobs, JobRequest completion) {
        if (jobs.isEmpty()) {
            throw new IllegalArgumentException("a batch needs at least one job");
        }
        List<JobRequest> all = new ArrayList<>(jobs);
        all.add(completion.after(jobs.stream().map(JobRequest::id).toList()));
        return addAll(all);
    }

    /**
     * Creates a job that must not exist.
     *
     * @param request the job
     * @return the job as stored
     * @throws DuplicateJobException when it exists, in whatever state; nothing was written
     * @throws NoTypeTimeoutException when the queue is strict and the type has no timeout
     * @throws QueueFullException when the job is new and its type has as many pending jobs as it may have
     */
    public Job insert(JobRequest request) {
        types.require(request);
        engine.limits().require(request);
        return engine.creator().insert(request);
    }

    /**
     * Creates jobs that must not exist, in one bulk write; those that wait for others of the call after these.
     *
     * @param requests the jobs
     * @return in the same order, what happened to each; one that exists is rejected, as is in a strict queue one whose type
     *     has no timeout
     */
    public List<AddResult> insertAll(List<JobRequest> requests) {
        return new AwaitedFirst(requests).inRounds(this::insertRound);
    }

    private List<AddResult> insertRound(List<JobRequest> requests) {
        return types.allowed(requests, jobs -> engine.limits().allowed(jobs, engine.creator()::insertAll));
    }

    /**
     * Adds jobs unless unfinished ones with their trackers (or else their ids) exist.
     *
     * @param requests the jobs
     * @return in the same order, whether this call added each; false also when a strict queue refuses the type, or the type is full
     */
    public List<Boolean> insertAllIfNew(List<JobRequest> requests) {
        return new AwaitedFirst(requests).inRounds(this::insertRoundIfNew);
    }

    private List<Boolean> insertRoundIfNew(List<JobRequest> requests) {
        List<AddResult> inserted = insertRound(requests);
        List<Boolean> added = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            JobRequest request = requests.get(i);
            added.add(inserted.get(i).outcome() == AddResult.Outcome.ADDED
                    || (!engine.limits().isFull(request)
                            && types.isAllowed(request.id().type())
                            && engine.creator().insertIfNew(request)));
        }
        return List.copyOf(added);
    }

    /**
     * Adds a job unless an unfinished one with its tracker (or else its id) exists. One of any number of callers adds it.
     *
     * @param request the job
     * @return true when this call added it
     * @throws NoTypeTimeoutException when the queue is strict and the type has no timeout
     * @throws QueueFullException when the job is new and its type has as many pending jobs as it may have
     */
    public boolean insertIfNew(JobRequest request) {
        types.require(request);
        engine.limits().require(request);
        return engine.creator().insertIfNew(request);
    }

    /**
     * Reads a job.
     *
     * @param type its type
     * @param id its id
     * @return the job as it is now; empty when there is none
     * @throws io.couchjobs.job.MalformedJobException when the document cannot be a job
     */
    public Optional<Job> get(String type, String id) {
        return engine.parts().store().read(new JobId(type, id));
    }

    /**
     * Asks for the state of a job, in the words of the RFC.
     *
     * @param type its type
     * @param id its id
     * @return the state; {@code NOT_FOUND} when there is no such job
     */
    public JobState state(String type, String id) {
        return get(type, id).map(Job::state).orElse(JobState.NOT_FOUND);
    }

    /**
     * Reads the data of a job.
     *
     * @param type its type
     * @param id its id
     * @return the data as it is now; empty when there is no such job
     * @throws io.couchjobs.job.MalformedJobException when the document cannot be a job
     */
    public Optional<ObjectNode> data(String type, String id) {
        return get(type, id).map(Job::data);
    }

    /**
     * Goes through all jobs of a type, in the order of their ids. See {@link #all(JobFilter)}.
     *
     * @param type the type
     * @return the jobs, read in pages while they are consumed
     */
    public Stream<Job> all(String type) {
        return engine.lists().all(JobFilter.all().type(type));
    }

    /**
     * Goes through all jobs that pass a filter, however many there are, in constant memory: pages are read by key while the
     * stream is consumed. A job that changes meanwhile is seen as it was before or after, at most once if it keeps its
     * place; documents that cannot be jobs are left out.
     *
     * @param filter which jobs
     * @return the jobs, in no order to rely on
     */
    public Stream<Job> all(JobFilter filter) {
        return engine.lists().all(filter);
    }

    /**
     * Lists jobs, newest first: in the order of {@link JobPages}. A job that is there all the time is never missing.
     *
     * @param filter which jobs
     * @param limit how many at most
     * @return the jobs; those of one finished status by the time of their end, others by the time of their creation
     */
    public List<Job> list(JobFilter filter, int limit) {
        return engine.lists().list(filter, limit);
    }

    /**
     * Lists jobs a page at a time, by key: the last page costs as much as the first, however many jobs there are.
     *
     * @param filter which jobs
     * @param after where the page before ended, or null for the first one
     * @param limit how many jobs at most
     * @return the page, newest jobs first; it may be short though more follow, see {@link JobPage}
     */
    public JobPage page(JobFilter filter, JobPage.@Nullable Place after, int limit) {
        return engine.pages().page(filter, after, limit);
    }

    /** {@return how many jobs there are, by type; types with settings but no jobs are there too} */
    public Map<String, TypeCounts> counts() {
        Map<String, TypeCounts> counts = new TreeMap<>();
        engine.settings().readAll().keySet().forEach(type -> counts.put(type, new TypeCounts(Map.of(), null)));
        Parallel.ask(ServerAccess.environment(database().server()), engine.index().counts().entrySet(), this::withOldest)
                .forEach(type -> counts.put(type.getKey(), type.getValue()));
        return counts;
    }

    private Map.Entry<String, TypeCounts> withOldest(Map.Entry<String, Map<JobStatus, Long>> type) {
        TypeCounts counts = new TypeCounts(type.getValue(), null);
        Instant oldest = counts.pending() == 0
                ? null
                : engine.index().oldestPending(type.getKey()).orElse(null);
        return Map.entry(type.getKey(), new TypeCounts(type.getValue(), oldest));
    }

    /** {@return what people should know of the types and workers of this queue, as the dashboard tells it; empty when all is well} */
    public List<Problem> problems() {
        return new QueueProblems(
                        counts(),
                        engine.settings().readAll(),
                        workers(),
                        engine.parts().clock().instant())
                .list();
    }

    /**
     * Counts pending jobs that are run here.
     *
     * @param type the type
     * @param until only those scheduled up to this time, inclusive
     * @param limit where counting stops
     * @return how many there are, at most the limit
     */
    public int pendingCount(String type, Instant until, int limit) {
        return engine.index().pendingCount(type, until, limit);
    }

    /**
     * Lists the jobs that are owned here now.
     *
     * @param type the type
     * @return their ids
     */
    public List<String> activeIds(String type) {
        return engine.index().owned(type).stream().map(JobId::id).toList();
    }

    /** {@return the documents that have the id of a job but cannot be one, each with the name of a wrong field} */
    public Map<String, String> malformed() {
        return engine.index().malformed();
    }

    /**
     * Counts jobs that are owned by somebody who is no registered worker: by a program that claimed them by hand ({@link
     * #accept}), or by a dead worker until an activity monitor finds that out.
     *
     * @return how many there are
     */
    public long orphaned() {
        return workers().stream()
                .filter(worker -> worker.registration().isEmpty())
                .mapToLong(worker -> worker.jobs().size())
                .sum();
    }

    /** {@return who works here, by id: workers that are registered, and owners that are not} */
    public List<WorkerInfo> workers() {
        return WorkerList.read(database, engine.index());
    }

    /**
     * Puts jobs back from a copy, such as an export, in one bulk write: in the state they were in, but for those that somebody
     * owned, which wait again as if they had been released. Jobs that exist stay as they are. Limits on how many may be pending
     * do not hold for jobs that are put back.
     *
     * @param copies the jobs
     * @return in the same order, what happened to each: added, unchanged (it exists) or rejected
     */
    public List<AddResult> restoreAll(List<Job> copies) {
        return new Restorer(engine.parts().store(), engine.parts().clock()).restore(copies);
    }

    /**
     * Deletes a job with its log, in whatever state, even when its document cannot be a job; who runs it learns it as halt.
     *
     * @param type its type
     * @param id its id
     * @throws JobNotFoundException when there is no such job
     */
    public void remove(String type, String id) {
        engine.creator().remove(new JobId(type, id));
        engine.logs().delete(new JobId(type, id));
    }

    /**
     * Cancels a job.
     *
     * @param type its type
     * @param id its id
     * @param mode whether a running job is asked to stop
     * @return what happened
     * @throws JobNotFoundException when there is no such job
     */
    public CancelResult cancel(String type, String id, CancelMode mode) {
        return engine.creator().cancel(new JobId(type, id), mode);
    }

    /**
     * Lets a job run now: one that waits for its time or its retry, or a finished one again.
     *
     * @param type its type
     * @param id its id
     * @return the job as stored
     * @throws JobNotFoundException when there is no such job
     * @throws JobRefusedException when it is running
     */
    public Job retryNow(String type, String id) {
        return engine.creator().change(new JobId(type, id), "cannot be retried", Transitions::retry);
    }

    /**
     * Moves the scheduled time of a pending job.
     *
     * @param type its type
     * @param id its id
     * @param time not before this time; one before 1973-03-03 is at once, as for {@link JobRequest.Builder#scheduledTime}
     * @return the job as stored
     * @throws JobNotFoundException when there is no such job
     * @throws JobRefusedException when it is not pending
     */
    public Job reschedule(String type, String id, Instant time) {
        return engine.creator()
                .change(
                        new JobId(type, id),
                        "cannot be rescheduled",
                        (job, now) -> Transitions.reschedule(job, time, now));
    }

    /**
     * Changes the priority of a pending job.
     *
     * @param type its type
     * @param id its id
     * @param priority 0 (least) to 99
     * @return the job as stored
     * @throws JobNotFoundException when there is no such job
     * @throws JobRefusedException when it is not pending
     */
    public Job setPriority(String type, String id, int priority) {
        return engine.creator()
                .change(
                        new JobId(type, id),
                        "its priority cannot be changed",
                        (job, now) -> Transitions.prioritize(job, priority, now));
    }

    /**
     * Takes a job away from an owner that is believed to be dead, as {@link #release} does, but only if nothing has happened to
     * it since that was seen.
     *
     * @param seen the job as {@link #workers} showed it
     * @return the job as stored
     * @throws JobNotFoundException when there is no such job any more
     * @throws JobRefusedException when it has changed
     */
    public Job releaseOrphan(WorkerInfo.OwnedJob seen) {
        return engine.creator()
                .change(
                        seen.id(),
                        "has changed since it was looked at",
                        (job, now) -> Transitions.releaseIfStill(job, seen.rev(), now));
    }

    /**
     * Takes a job away from its owner, who learns it as halt: it waits again as if it had not been claimed.
     *
     * @param type its type
     * @param id its id
     * @return the job as stored
     * @throws JobNotFoundException when there is no such job
     * @throws JobRefusedException when nobody owns it
     */
    public Job release(String type, String id) {
        return engine.creator().change(new JobId(type, id), "owned by nobody", Transitions::release);
    }

    /**
     * Lets a job run once more, at the time it had; see {@link #resubmit(String, String, Instant)}.
     *
     * @param type its type
     * @param id its id
     * @return the job as stored
     * @throws JobNotFoundException when there is no such job
     */
    public Job resubmit(String type, String id) {
        return resubmit(new JobId(type, id), null, null);
    }

    /**
     * Lets a job run once more: a running one after its present run, a finished one at the
     * given time. A pending one is moved to that time.
     *
     * @param type its type
     * @param id its id
     * @param time not before this time; one before 1973-03-03 is at once, as for {@link JobRequest.Builder#scheduledTime}
     * @return the job as stored
     * @throws JobNotFoundException when there is no such job
     */
    public Job resubmit(String type, String id, Instant time) {
        return resubmit(new JobId(type, id), time, null);
    }

    /**
     * Lets a job run once more, as {@link #resubmit(String, String, Instant)}, with other data.
     *
     * @param type its type
     * @param id its id
     * @param time not before this time; one before 1973-03-03 is at once, as for {@link JobRequest.Builder#scheduledTime}
     * @param data a record, bean, map or JSON object; ignored while the job is running
     * @return the job as stored
     * @throws InvalidJobDataException when the data is not a JSON object; nothing was sent
     * @throws JobNotFoundException when there is no such job
     */
    public Job resubmit(String type, String id, Instant time, Object data) {
        return resubmit(new JobId(type, id), time, JobData.of(data));
    }

    private Job resubmit(JobId id, @Nullable Instant time, @Nullable ObjectNode data) {
        return engine.creator()
                .change(id, "cannot be resubmitted", (job, now) -> Transitions.resubmit(job, time, data, now));
    }

    /** {@return the settings of all types that have some, by type} */
    public Map<String, TypeSettings> settings() {
        return engine.settings().readAll();
    }

    /**
     * The settings of a type.
     *
     * @param type the type
     * @return the settings; empty ones when the type has none
     */
    public TypeSettings settings(String type) {
        return engine.settings().read(type);
    }

    /**
     * Changes the settings of a type. Running workers follow within moments.
     *
     * @param type the type
     * @param change what to change
     * @return the settings as stored
     */
    public TypeSettings changeSettings(String type, UnaryOperator<TypeSettings> change) {
        return engine.settings().change(type, change);
    }

    /**
     * Sets how long an owner of a job of this type may be silent before another worker takes the job.
     *
     * @param type the type
     * @param timeout at least a millisecond
     */
    public void setTypeTimeout(String type, Duration timeout) {
        engine.settings().change(type, present -> present.withTimeout(timeout));
    }

    /**
     * The timeout of a type.
     *
     * @param type the type
     * @return the timeout; empty when the queue's default holds
     */
    public Optional<Duration> getTypeTimeout(String type) {
        return engine.settings().read(type).timeout();
    }

    /**
     * Lets the queue's default timeout hold for a type.
     *
     * @param type the type
     */
    public void clearTypeTimeout(String type) {
        engine.settings().change(type, TypeSettings::withoutTimeout);
    }

    /** {@return the types that have settings or jobs} */
    public Set<String> types() {
        Set<String> types = new TreeSet<>(engine.settings().readAll().keySet());
        types.addAll(engine.index().counts().keySet());
        return types;
    }

    /**
     * Claims due jobs, waiting for one if there is none. The caller renews the lease of each ({@link ClaimedJob#update()})
     * more often than its type's timeout, and ends it by a finish, fail or release. From the first call until the queue is closed
     * this process also sets jobs of dead owners free, as a worker does.
     *
     * @param options which and how many jobs, and how long to wait
     * @return the jobs, owned by the caller; empty when the time is over
     * @throws InterruptedException when interrupted while waiting
     * @throws IllegalStateException when the queue is closed meanwhile
     */
    public List<ClaimedJob> accept(AcceptOptions options) throws InterruptedException {
        engine.recovery().begin();
        return List.copyOf(engine.acceptor().accept(options));
    }

    /**
     * Waits until a job has one of the given statuses.
     *
     * @param type its type
     * @param id its id
     * @param statuses the statuses
     * @param timeout how long to wait at most
     * @return the job; empty when the time is over
     * @throws JobNotFoundException when there is no such job, or it is removed meanwhile
     * @throws InterruptedException when interrupted while waiting
     */
    public Optional<Job> await(String type, String id, Set<JobStatus> statuses, Duration timeout)
            throws InterruptedException {
        return engine.watch().await(new JobId(type, id), job -> statuses.contains(job.status()), timeout);
    }

    /**
     * Waits until a job is finished, well or badly.
     *
     * @param type its type
     * @param id its id
     * @param timeout how long to wait at most
     * @return the finished job; empty when the time is over
     * @throws JobNotFoundException when there is no such job, or it is removed meanwhile
     * @throws InterruptedException when interrupted while waiting
     */
    public Optional<Job> awaitFinished(String type, String id, Duration timeout) throws InterruptedException {
        return await(type, id, EnumSet.of(JobStatus.SUCCESS, JobStatus.FAILED, JobStatus.CANCELLED), timeout);
    }

    /**
     * Hears of changes of status from now on. When changes follow each other quickly, only the last may be told; a listener that is
     * slow for more than 10,000 jobs misses the oldest changes, which is logged.
     *
     * @param filter which jobs
     * @param listener called on a thread of its own; what it throws is logged
     * @return ends the watching when closed
     */
    public Listening watch(JobFilter filter, Consumer<JobChange> listener) {
        return engine.watch().follow(filter, listener);
    }

    /**
     * As {@link #watch(JobFilter, Consumer)}, for somebody who wants to know when changes may have been missed: the
     * server did not know the feed's position any more, because the database was made anew or restored. The listener
     * still hears what became of the jobs that it was told of; changes of other jobs are lost.
     *
     * @param filter which jobs
     * @param listener called on a thread of its own; what it throws is logged
     * @param whenMissed called on the same thread; what it throws is logged
     * @return ends the watching when closed
     */
    public Listening watch(JobFilter filter, Consumer<JobChange> listener, Runnable whenMissed) {
        return engine.watch().follow(filter, listener, whenMissed);
    }

    /**
     * Hears of every change of any document of the queue, not only of jobs, by the feed that all who listen in this process
     * share. Most programs want {@link #watch} or {@link #subscribe(String, String)}.
     *
     * <p>On a cluster the end of a job, or that it is gone, is told when a majority of the copies has it.
     *
     * @param listener called by one thread at a time: must be quick, never waits for anything, and leaves the documents as they
     *     are
     * @return ends the listening when closed
     */
    public Listening listen(ChangeListener listener) {
        return engine.watch().listen(new Feed.Listener() {
            @Override
            public void changed(FeedEvent event) {
                listener.changed(new DocumentChange(event));
            }

            @Override
            public void gap() {
                listener.gap();
            }
        });
    }

    /**
     * Reads the log of a job, also while it grows.
     *
     * @param type its type
     * @param id its id
     * @return its lines in chunks, oldest first, read while the stream is consumed; none when nothing was logged
     */
    public Stream<LogChunk> log(String type, String id) {
        return engine.logs().read(new JobId(type, id));
    }

    /**
     * Reads the log of a job, and then what is added to it.
     *
     * @param type its type
     * @param id its id
     * @param listener called for each chunk once, in order within a claim, on a thread of its own; may take its time; what it
     *     throws is logged
     * @return ends the following
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    public LogFollowing followLog(String type, String id, Consumer<LogChunk> listener) {
        return engine.logs().follow(new JobId(type, id), listener);
    }

    /**
     * Subscribes the calling thread to a job: its state and data now, and the events to come.
     *
     * @param type its type
     * @param id its id
     * @return the subscription, the same one as long as it is open; closed when the job has finished already
     * @throws JobNotFoundException when there is no such job
     */
    public Subscription subscribe(String type, String id) {
        return subscribe(type, id, Thread.currentThread());
    }

    /**
     * Subscribes to a job: its state and data now, and the events to come.
     *
     * @param type its type
     * @param id its id
     * @param subscriber who subscribes, compared by {@code equals}: the same subscriber and job have the same subscription as
     *     long as it is open
     * @return the subscription; closed when the job has finished already
     * @throws JobNotFoundException when there is no such job
     */
    public Subscription subscribe(String type, String id, Object subscriber) {
        return engine.watch().subscriptions().subscribe(new JobId(type, id), subscriber);
    }

    /**
     * Subscribes the calling thread to many jobs, which are read 500 at a time. All subscriptions of a process share one
     * connection.
     *
     * @param ids the jobs
     * @return by job, in the order given, the subscriptions; jobs that do not exist or cannot be read are left out
     */
    public Map<JobId, Subscription> subscribeAll(Collection<JobId> ids) {
        return new LinkedHashMap<>(engine.watch().subscriptions().subscribeAll(ids, Thread.currentThread()));
    }

    /**
     * Waits for the first event of any of some subscriptions; the events of the others are kept.
     *
     * @param subscriptions any number, of any queues of this process
     * @param timeout how long to wait at most; zero looks without waiting
     * @return the event, which says of which job; empty when the time is over, or as soon as all subscriptions are closed
     * @throws InterruptedException when interrupted before or while waiting; no event is lost
     */
    public static Optional<JobEvent> awaitAny(Collection<Subscription> subscriptions, Duration timeout)
            throws InterruptedException {
        List<JobSubscription> all =
                subscriptions.stream().map(JobSubscription.class::cast).toList();
        return JobSubscription.awaitAny(all, timeout);
    }

    /** {@return the recurring jobs of this queue} */
    public Schedules schedules() {
        return schedules;
    }

    /** {@return the scopes of this queue: jobs by type and partition, each with a service of its own} */
    public Scopes scopes() {
        return scopes;
    }

    /** {@return what an operator asks of the database} */
    public Operations operations() {
        return operations;
    }

    /** {@return a builder of a worker that runs jobs of this queue} */
    public WorkerBuilder worker() {
        WorkerBuilder worker = QueueWorker.builder(engine.parts(), this::join);
        tell(extension -> extension.worker(worker));
        return worker;
    }

    /** An exception of one extension does not affect the others. */
    private void tell(Consumer<QueueExtension> news) {
        for (QueueExtension extension : extensions) {
            try {
                news.accept(extension);
            } catch (RuntimeException | Error e) {
                log.error("an extension of the queue failed; nothing else is changed by that", e);
            }
        }
    }

    private Listening join(Worker worker) {
        Listening scheduling = engine.scheduler().join();
        workers.add(worker);
        return () -> {
            workers.remove(worker);
            scheduling.close();
        };
    }

    /**
     * Asks whether this process can claim jobs: whether the database is there, accepts the credentials, has what jobs are found
     * by, and no worker of this queue failed when it last tried. Takes some requests, and as long as a request may take.
     *
     * @return what is in the way; never throws because something is
     */
    public QueueHealth health() {
        Map<String, String> troubles = engine.parts().store().claimTroubles().byWorker();
        troubles.remove(engine.client()); // who accepts by hand has seen the exception
        return QueueHealth.of(database, engine.designs(), troubles);
    }

    /**
     * Prepares a garbage collection: deletes what retention lets go, purges tombstones, compacts. Workers delete what
     * retention lets go by themselves; the rest is for an administrator, every night or so.
     *
     * @return a collection, to be run
     */
    public GarbageCollection gc() {
        return new GarbageCollector(engine.parts(), engine.designs());
    }

    /**
     * The permissions in this queue's database: roles, and the guard by which the database itself refuses the rest.
     *
     * @return a view of it; nothing is asked or changed yet
     */
    public QueueSecurity security() {
        return new QueueSecurity(database);
    }

    /**
     * Ends what serves scopes, the feed, all connections and the accepts that wait, after what {@link #addAsync} has on its way is
     * answered. Workers that are still open are closed first, by {@link Worker#close(Duration)} with no time for what runs. From
     * then on all methods that would ask the database throw an {@link IllegalStateException}. When one part throws, the others
     * are closed nevertheless, and the first exception is thrown in the end.
     */
    @Override
    public void close() {
        Closing.all(
                () -> workers.forEach(worker -> worker.close(Duration.ZERO)),
                engine.asyncCreator()::close,
                () -> tell(extension -> extension.closed(this)),
                scopes::close,
                engine.acceptor()::close,
                engine.recovery()::close,
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
