package io.couchjobs.engine.scope;

import io.couchjobs.engine.index.Listing;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.worker.Canceller;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Scopes;
import io.couchjobs.scope.Submission;
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
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The scopes in the database of a queue. Thread-safe. */
public final class QueueScopes implements Scopes {
    private static final Duration LONGEST_STOP = Duration.ofDays(1000);
    /** How long killed handlers may take to end after the deadline of a stop. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Tools tools;
    private final Listing listing;
    private final Canceller canceller;
    private final Submitter submitter;
    private final Supplier<WorkerBuilder> workers;
    private final Set<QueueScopeHost> hosts = new CopyOnWriteArraySet<>();
    private volatile boolean closed;

    /**
     * Creates the scopes of a queue. Does no I/O.
     *
     * @param workers makes builders of the services' workers
     * @param admission throws when a job may not be added to the queue
     */
    public QueueScopes(
            QueueParts parts,
            Listing listing,
            Canceller canceller,
            Supplier<WorkerBuilder> workers,
            Consumer<JobRequest> admission) {
        ScopeStore scopes = new ScopeStore(parts.store());
        this.listing = listing;
        this.workers = workers;
        this.canceller = canceller;
        this.tools = new Tools(
                parts,
                scopes,
                new ScopeCanceller(scopes, listing, canceller, parts),
                new EndNotifier(parts.feed(), parts.store()),
                new Rejections(scopes, parts.store().environment()));
        this.submitter = new Submitter(tools, admission);
    }

    @Override
    public Scopes.Host serve(ScopeService<?> service) {
        service.probe();
        QueueScopeHost[] self = new QueueScopeHost[1];
        QueueScopeHost host = new QueueScopeHost(tools, service, workers, () -> {
            submitter.services().remove(service);
            hosts.remove(self[0]);
        });
        self[0] = host;
        submitter.services().add(service);
        hosts.add(host);
        if (closed) {
            host.close(Duration.ZERO);
            throw new IllegalStateException("the queue is closed");
        }
        host.start();
        return host;
    }

    @Override
    public Scopes.State start(Scope scope) {
        return tools.scopes().start(scope, null);
    }

    @Override
    public Scopes.State start(Scope scope, ScopeConfig config) {
        return tools.scopes().start(scope, config);
    }

    @Override
    public Optional<Scopes.State> reconfigure(Scope scope, UnaryOperator<ScopeConfig> change) {
        return tools.scopes().reconfigure(scope, change);
    }

    @Override
    public void stop(Scope scope) {
        tools.scopes().stop(scope, LONGEST_STOP);
        tools.clearance().clear(scope);
    }

    @Override
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

    @Override
    public Optional<Scopes.State> state(Scope scope) {
        return tools.scopes().read(scope);
    }

    @Override
    public List<Scopes.State> list() {
        return tools.scopes().readAll();
    }

    @Override
    public List<Scopes.State> list(String type) {
        return tools.scopes().readAll(type);
    }

    @Override
    public Submission submit(Scope scope, JobRequest job) {
        return submitter.submit(List.of(scope), job, null);
    }

    @Override
    public Submission submit(Scope scope, JobRequest job, Consumer<Ending> hook) {
        return submitter.submit(List.of(scope), job, hook);
    }

    @Override
    public Submission submit(String type, JobRequest job) {
        return submitter.submit(running(type), job, null);
    }

    @Override
    public Submission submit(String type, JobRequest job, Consumer<Ending> hook) {
        return submitter.submit(running(type), job, hook);
    }

    @Override
    public Submission submit(Collection<Scope> scopes, JobRequest job) {
        return submitter.submit(scopes, job, null);
    }

    @Override
    public Submission submit(Collection<Scope> scopes, JobRequest job, Consumer<Ending> hook) {
        return submitter.submit(scopes, job, hook);
    }

    @Override
    public Listening onEnded(Consumer<Ending> listener) {
        return tools.endings().listen(listener);
    }

    @Override
    public List<Job> find(String correlationId) {
        return listing.all(JobFilter.all().correlationId(correlationId))
                .filter(job -> Scope.ofJobType(job.type()).isPresent())
                .toList();
    }

    @Override
    public Optional<Job> find(Scope scope, String id) {
        return tools.parts().store().read(scope.job(id));
    }

    @Override
    public Scopes.Stats stats(Scope scope) {
        tools.rejections().tell();
        return ScopeCounts.of(
                tools.parts().index().counts().of(scope.jobType()),
                tools.scopes().rejected(scope));
    }

    @Override
    public List<Job> history(Scope scope, int newest) {
        JobFilter ofScope = JobFilter.all().type(scope.jobType());
        return Stream.of(JobStatus.SUCCESS, JobStatus.FAILED, JobStatus.CANCELLED)
                .flatMap(status -> listing.list(ofScope.status(status), newest).stream())
                .sorted(Comparator.comparing(QueueScopes::ended).reversed())
                .limit(newest)
                .toList();
    }

    @Override
    public Scopes.CancelAnswer cancel(Scope scope, String id, boolean kill) {
        JobId job = scope.job(id);
        CancelResult result = canceller.cancel(job, kill ? CancelMode.REQUEST : CancelMode.IF_QUEUED, null);
        return switch (result) {
            case CANCELLED, AT_NEXT_CLAIM -> Scopes.CancelAnswer.CANCELLED;
            case REQUESTED -> Scopes.CancelAnswer.KILLED;
            case RUNNING -> Scopes.CancelAnswer.RUNNING;
            case ALREADY_FINISHED -> Scopes.CancelAnswer.FINISHED;
        };
    }

    @Override
    public void close() {
        closed = true;
        hosts.forEach(QueueScopeHost::close);
        tools.rejections().close();
        tools.endings().close();
    }

    private List<Scope> running(String type) {
        return list(type).stream()
                .filter(Scopes.State::isRunning)
                .map(Scopes.State::scope)
                .toList();
    }

    private static Instant ended(Job job) {
        return job.times().getOrDefault("finished", job.scheduledTime());
    }

    @Override
    public String toString() {
        return "QueueScopes" + hosts;
    }
}
