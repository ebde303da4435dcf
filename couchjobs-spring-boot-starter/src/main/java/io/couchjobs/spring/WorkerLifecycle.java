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
 * The worker of an application. It is started last, when everything that handlers need is there, and stopped first. While it
 * stops, it takes no new jobs and lets the running ones finish. Without a handler there is no worker. Thread-safe.
 */
public final class WorkerLifecycle implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(WorkerLifecycle.class);

    private final JobQueue queue;
    private final CouchjobsProperties.Worker options;
    private final HandlerMethods methods;
    private final List<WorkerCustomizer> customizers;
    /** Held while it starts and while it stops, so that one waits for the other. */
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

    /** {@return the worker, also while it stops; empty when it is not running, or there is nothing to handle} */
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

    /** The monitor is free while the last jobs end: their handlers, and the application's monitoring, may ask for the worker. */
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
