package io.couchjobs.engine.scope;

import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Deadline;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.Listening;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Scopes;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the scopes of a type in this process. Thread-safe. */
public final class QueueScopeHost implements Scopes.Host, FeedListener {
    private static final Logger log = LoggerFactory.getLogger(QueueScopeHost.class);
    private static final Duration CLOSING = Duration.ofSeconds(30);
    /** The longest pause between attempts: the server may be back at any time. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);
    /** The time after which each copy of a cluster usually has the changes that the first copies had. */
    static final Duration LAG = Duration.ofMillis(1500);

    private final Tools tools;
    private final ScopeService<?> service;
    private final Supplier<WorkerBuilder> workers;
    private final Runnable onClose;
    private final Environment environment;
    private final Lane lane;
    private final Backoff trouble;
    private final Map<Scope, HostedScope> hosted = new ConcurrentHashMap<>();
    /** Stopped scopes, whose waiting jobs must be cancelled. */
    private final Set<Scope> stopped = ConcurrentHashMap.newKeySet();

    private final Set<Scope> toClear = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Listening listening;
    private volatile boolean loadPlanned;
    /** Scopes that cannot be served now, and whose trouble was logged. Only the lane uses this set. */
    private final Set<String> inTrouble = new HashSet<>();

    private boolean hasFailed;

    QueueScopeHost(Tools tools, ScopeService<?> service, Supplier<WorkerBuilder> workers, Runnable onClose) {
        this.tools = tools;
        this.service = service;
        this.workers = workers;
        this.onClose = onClose;
        this.environment = tools.parts().store().environment();
        this.lane = environment.lane("couchjobs-scopes-" + service.type(), 1);
        this.trouble = new Backoff(environment, Duration.ofMillis(100), LONGEST_PAUSE);
    }

    void start() {
        run(allScopes(), this::loadTwice);
    }

    @Override
    public Set<Scope> scopes() {
        return Set.copyOf(hosted.keySet());
    }

    @Override
    public void changed(FeedEvent event) {
        Scope.ofDocId(event.docId())
                .filter(scope -> scope.type().equals(service.type()))
                .ifPresent(scope -> run(nameOf(scope), () -> look(scope)));
        stoppedScope(event.docId())
                .filter(scope -> event.job()
                        .filter(job -> job.phase() == JobPhase.PENDING)
                        .isPresent())
                .ifPresent(this::clearSoon);
    }

    @Override
    public boolean needsDocument(FeedNotice notice) {
        return stoppedScope(notice.docId()).isPresent();
    }

    /** Cancels the scope's waiting jobs, because the scope may have been stopped at this very moment. */
    @Override
    public void unread(FeedNotice notice) {
        stoppedScope(notice.docId()).ifPresent(this::clearSoon);
    }

    @Override
    public void gap() {
        run(allScopes(), this::loadTwice);
    }

    @Override
    public void close() {
        close(CLOSING);
    }

    @Override
    public void close(Duration timeout) {
        Deadline deadline = Deadline.after(environment, timeout);
        onClose.run();
        lane.finish();
        closeListening();
        try {
            // The lane's present task may start a service.
            boolean unused = lane.awaitEnd(deadline.left());
            unused = environment.await(CompletableFuture.allOf(release(deadline.left())), Environment.FOREVER);
        } catch (InterruptedException e) {
            CompletableFuture<?>[] unused = release(Duration.ZERO);
            Thread.currentThread().interrupt();
        }
        hosted.clear();
    }

    @Override
    public String toString() {
        return "Scopes.Host[" + service.type() + " " + hosted.keySet() + "]";
    }

    private CompletableFuture<?>[] release(Duration timeout) {
        return hosted.values().stream().map(service -> service.release(timeout)).toArray(CompletableFuture[]::new);
    }

    private void closeListening() {
        Listening present = listening;
        if (present != null) {
            present.close();
        }
    }

    /** Loads the scopes. On a cluster, loads them again later, because the copy that answers may lack a scope. */
    private void loadTwice() {
        load();
        if (mayLag()) {
            loadLater(this::load, LAG);
        }
    }

    private boolean mayLag() {
        return tools.parts().store().isCluster();
    }

    /**
     * Serves the scopes as they are in the database. The failure of one scope does not keep the others from being
     * served. Waiting jobs are cancelled after all scopes are served.
     */
    private void load() {
        loadPlanned = false;
        hasFailed = false;
        if (listening == null) {
            listening = tools.parts().feed().listen(this);
            if (lane.isClosed()) {
                // A close at the same moment may not have seen the listening yet.
                closeListening();
            }
        }
        stopped.clear();
        Set<Scope> unsure = new HashSet<>(hosted.keySet());
        for (Scopes.State state : tools.scopes().readAll(service.type())) {
            if (mayLag()) {
                unsure.add(state.scope());
            } else {
                unsure.remove(state.scope());
                guarded(nameOf(state.scope()), () -> follow(state));
            }
        }
        unsure.forEach(scope -> guarded(nameOf(scope), () -> look(scope)));
        lane.execute(this::calmDown);
    }

    /** Forgets past failures, unless the load has failed. Runs after all tasks that the load has planned without a pause. */
    private void calmDown() {
        if (!hasFailed) {
            inTrouble.clear();
            trouble.reset();
        }
    }

    private void look(Scope scope) {
        tools.scopes().read(scope).ifPresentOrElse(this::follow, () -> vanished(scope));
    }

    private void follow(Scopes.State state) {
        if (lane.isClosed()) {
            return;
        }
        Scope scope = state.scope();
        HostedScope present = hosted.get(scope);
        if (present != null && !(state.isRunning() && present.starts() == state.starts())) {
            present.stop(state.stopTimeout(), () -> run(nameOf(scope), () -> ended(scope, present)));
        } else if (present != null) {
            present.follow(state.config());
        } else if (state.isRunning() && service.serves(scope)) {
            serve(state);
        }
        if (state.isRunning()) {
            stopped.remove(scope);
        } else if (stopped.add(scope)) {
            clearSoon(scope);
        }
    }

    private void serve(Scopes.State state) {
        HostedScope started = HostedScope.start(service, state, workers.get(), environment);
        hosted.put(state.scope(), started);
        if (lane.isClosed()) {
            // A close at the same moment may not have seen the service yet.
            started.releaseNow();
            hosted.remove(state.scope());
        }
    }

    /** Stops the service of a scope whose document was deleted. The time that its jobs have was deleted with the document. */
    private void vanished(Scope scope) {
        stopped.remove(scope);
        HostedScope present = hosted.get(scope);
        if (present != null) {
            present.stop(CLOSING, () -> run(nameOf(scope), () -> ended(scope, present)));
        }
    }

    /**
     * Looks at the scope of a service that has ended: jobs that the service claimed at the last moment wait again, and
     * the scope may have been started again. A service that was stopped twice reports its end twice. The second report
     * is ignored, because another service may have taken the place of the first.
     */
    private void ended(Scope scope, HostedScope present) {
        if (hosted.remove(scope, present)) {
            stopped.remove(scope);
            look(scope);
        }
    }

    private Optional<Scope> stoppedScope(String docId) {
        return stopped.isEmpty()
                ? Optional.empty()
                : JobId.fromDocId(docId)
                        .flatMap(id -> Scope.ofJobType(id.type()))
                        .filter(stopped::contains);
    }

    private void clearSoon(Scope scope) {
        if (toClear.add(scope)) {
            run(jobsOf(scope), () -> clear(scope));
        }
    }

    /**
     * Cancels the waiting jobs of a stopped scope. On a cluster, does so again later, because the copy of the index
     * that answers may lack a job.
     */
    private void clear(Scope scope) {
        toClear.remove(scope);
        if (mayLag()) {
            lane.schedule(
                    LAG, () -> guarded(jobsOf(scope), () -> tools.clearance().clear(scope)));
        }
        tools.clearance().clear(scope);
    }

    private String allScopes() {
        return "the scopes of type " + service.type();
    }

    private static String jobsOf(Scope scope) {
        return "the jobs of the stopped scope " + scope;
    }

    private static String nameOf(Scope scope) {
        return "scope " + scope;
    }

    private void run(String what, Runnable task) {
        lane.execute(() -> guarded(what, task));
    }

    private void guarded(String what, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            hasFailed = true;
            if (inTrouble.add(what)) {
                log.warn("{} cannot be looked after, trying again until that can be done: {}", what, e.toString());
            }
            loadLater(this::loadTwice, trouble.next());
        }
    }

    private void loadLater(Runnable loading, Duration pause) {
        if (!loadPlanned && !lane.isClosed()) {
            loadPlanned = true;
            lane.schedule(pause, () -> guarded(allScopes(), loading));
        }
    }
}
