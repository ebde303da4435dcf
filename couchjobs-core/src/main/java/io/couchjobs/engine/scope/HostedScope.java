package io.couchjobs.engine.scope;

import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Scopes;
import io.couchjobs.scope.Submission;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The service of one scope in this process, from one start of the scope to its end. Thread-safe. */
final class HostedScope {
    private static final Logger log = LoggerFactory.getLogger(HostedScope.class);
    private static final String KILLED = Submission.Answer.SCOPE_SHUTDOWN + ": the scope was stopped while the job ran";

    private final long starts;
    private final Worker worker;
    private final Lane closing;
    private @Nullable Duration stopping;

    private HostedScope(long starts, Worker worker, Environment environment) {
        this.starts = starts;
        this.worker = worker;
        this.closing = environment.lane("couchjobs-scope-closing-" + worker.id(), Integer.MAX_VALUE);
    }

    static HostedScope start(
            ScopeService<?> service, Scopes.State state, WorkerBuilder worker, Environment environment) {
        Worker started = service.addTo(worker, state.scope())
                .concurrency(state.config().concurrency())
                .start();
        return new HostedScope(state.starts(), started, environment);
    }

    /** {@return the number of the start of the scope that this service belongs to} */
    long starts() {
        return starts;
    }

    /** Applies the scope's configuration, which may have changed. */
    void follow(ScopeConfig config) {
        int wanted = config.concurrency();
        if (worker.concurrency() != wanted) {
            worker.concurrency(wanted);
        }
    }

    /**
     * Stops the service: it takes no more jobs, and kills the jobs that still run at the deadline. Does not wait. A
     * later call matters only if it gives less time.
     *
     * @param ended called when the service has ended; an earlier call's {@code ended} is called, too
     */
    synchronized void stop(Duration timeout, Runnable ended) {
        if (stopping == null || timeout.compareTo(stopping) < 0) {
            stopping = timeout;
            var unused = close(() -> worker.closeCancelling(timeout, KILLED), ended);
        }
    }

    /**
     * Releases the service because the process ends, but the scope does not. Jobs that still run at the deadline go
     * back to waiting. Does not wait.
     */
    CompletableFuture<Void> release(Duration timeout) {
        return close(() -> worker.close(timeout, Worker.ClosingMode.RELEASE), () -> {});
    }

    /** Releases the service as {@link #release} does with a timeout of zero, and waits for the end. */
    void releaseNow() {
        worker.close(Duration.ZERO, Worker.ClosingMode.RELEASE);
    }

    private CompletableFuture<Void> close(Runnable close, Runnable ended) {
        return CompletableFuture.runAsync(close, closing).whenComplete((done, trouble) -> {
            if (trouble != null) {
                log.error("worker {} of a scope could not be closed", worker.id(), trouble);
            }
            ended.run();
        });
    }
}
