package io.couchjobs.engine.worker;

import io.couchjobs.worker.RunInterceptor;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The options of a worker, as set by its builder. */
record WorkerOptions(
        String id,
        boolean hasOwnId,
        int concurrency,
        int prefetch,
        Map<String, Handler<?>> handlers,
        List<RunInterceptor> interceptors,
        Optional<Duration> timeLimit,
        boolean untilEmpty,
        long maxJobs,
        boolean makesJobs,
        boolean sweeping,
        Worker.ClosingMode closingMode,
        Optional<Duration> closeOnExit,
        ClassLoader loader,
        Consumer<RunReport> listener,
        Selection selection) {
    static final Consumer<RunReport> NO_LISTENER = report -> {};

    boolean hasListener() {
        return listener != NO_LISTENER;
    }
}
