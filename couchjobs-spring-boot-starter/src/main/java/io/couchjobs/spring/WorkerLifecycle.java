package io.couchjobs.spring;

import io.couchjobs.JobQueue;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the application's worker. The worker starts last, when all beans that handlers need are ready, and stops
 * first. While it stops, it claims no new jobs and lets running jobs finish. Without a handler there is no worker. Thread-safe.
 */
public final class WorkerLifecycle implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(WorkerLifecycle.class);

    private final JobQueue queue;
    private final CouchjobsProperties.Worker options;
    private final HandlerMethods methods;
    private final List<WorkerCustomizer> customizers;
    /** Held by {@link #start} and {@link #stop}, so that one waits for the other. */
    private final Object turn = new Object();

    private @Nullable Worker worker;

    WorkerLifecycle(
            JobQueue queue,
            CouchjobsProperties.Worker options,
            HandlerMethods methods,
            List<WorkerCustomizer> customizers) {
        this.queue = queue;
        this.options = options;
        this.methods = methods;
        this.customizers = customizers;
    }

    /** {@return the worker, also while it stops; empty when it is not running, or there are no handlers} */
    public synchronized Optional<Worker> worker() {
        return Optional.ofNullable(worker);
    }

    @Override
    public void start() {
        synchronized (turn) {
            startWorker();
        }
    }

    private synchronized void startWorker() {
        if (worker != null) {
            return;
        }
        WorkerBuilder builder =
                queue.worker().concurrency(options.concurrency()).prefetch(options.prefetch());
        Optional.ofNullable(options.id()).ifPresent(builder::id);
        Optional.ofNullable(options.timeLimit()).ifPresent(builder::timeLimit);
        methods.addTo(builder::handler);
        customizers.forEach(customizer -> customizer.customize(builder));
        if (builder.types().isEmpty()) {
            log.debug("no @JobHandler or @OnChange method, and no handler of a WorkerCustomizer, so no worker");
            return;
        }
        methods.schedules().forEach(queue.schedules()::put);
        methods.triggers().forEach(queue.triggers()::put);
        Worker started = builder.start();
        worker = started;
        log.info("worker {} of {} runs jobs of the types {}", started.id(), queue, builder.types());
    }

    /** Does not hold the monitor while jobs finish: their handlers, or monitoring, may call {@link #worker}. */
    @Override
    public void stop() {
        synchronized (turn) {
            worker().ifPresent(running -> running.close(options.closeTimeout()));
            forget();
        }
    }

    private synchronized void forget() {
        worker = null;
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }
}
