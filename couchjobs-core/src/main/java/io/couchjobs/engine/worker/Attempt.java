package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.RunInterceptor;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One call of a fresh handler with its hooks, in order. Used by one thread. */
final class Attempt<T> {
    private static final Logger log = LoggerFactory.getLogger(Attempt.class);

    private final JobHandler<? super T> handler;
    private final T data;
    private final JobContext context;

    private Attempt(JobHandler<? super T> handler, T data, JobContext context) {
        this.handler = handler;
        this.data = data;
        this.context = context;
    }

    /** Creates an attempt. Binds the data first: data that does not fit needs no handler. */
    static <T> Attempt<T> of(Handler<T> handler, JobContext context) {
        return of(handler, context.job().data(), context);
    }

    /** Creates an attempt with other data than the job's. */
    static <T> Attempt<T> of(Handler<T> handler, ObjectNode data, JobContext context) {
        T bound = handler.type().bind(data);
        return new Attempt<>(handler.factory().get(), bound, context);
    }

    /** Creates an attempt of a handler that takes the job's data as JSON. */
    static Attempt<ObjectNode> of(JobHandler<ObjectNode> handler, JobContext context) {
        return new Attempt<>(handler, context.job().data(), context);
    }

    @Nullable
    Object run(List<RunInterceptor> interceptors, Supplier<Optional<JobContext.StopReason>> stopReason)
            throws Exception {
        Callable<@Nullable Object> run = () -> withHooks(stopReason);
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            RunInterceptor interceptor = interceptors.get(i);
            Callable<@Nullable Object> inner = run;
            run = () -> interceptor.around(context, inner);
        }
        return run.call();
    }

    void exhausted(Throwable problem) {
        hook("exhausted", () -> handler.exhausted(data, context, problem));
    }

    private @Nullable Object withHooks(Supplier<Optional<JobContext.StopReason>> stopReason) throws Exception {
        try {
            handler.setup(data, context);
            return handler.handle(data, context);
        } catch (Throwable thrown) {
            stopReason.get().ifPresent(this::stopped);
            throw thrown;
        } finally {
            hook("cleanup", () -> handler.cleanup(data, context));
        }
    }

    private void stopped(JobContext.StopReason reason) {
        switch (reason) {
            case CANCELLED -> hook("cancelled", () -> handler.cancelled(data, context));
            case TOO_SLOW -> hook("killed", () -> handler.killed(data, context));
            case HALTED, CLOSING -> {}
        }
    }

    /** Calls a hook without a pending interrupt, because the handler has already received the interrupt. */
    private void hook(String name, Hook hook) {
        Thread.interrupted();
        try {
            hook.call();
        } catch (Throwable failure) {
            log.warn("the {} hook of {} failed; the job is not changed by that", name, context.id(), failure);
        }
    }

    @FunctionalInterface
    private interface Hook {
        void call() throws Exception;
    }
}
