package io.couchjobs.engine.worker;

import io.couchjobs.job.Job;
import org.slf4j.MDC;

/**
 * Puts a run's job and worker into SLF4J's MDC for the log lines of its thread. Threads that a handler starts do not inherit
 * them.
 */
final class LogContext {
    static final String TYPE = "couchjobs.type";
    static final String ID = "couchjobs.id";
    static final String ATTEMPT = "couchjobs.attempt";
    static final String WORKER = "couchjobs.worker";

    private LogContext() {}

    static void set(String worker, Job job) {
        MDC.put(TYPE, job.type());
        MDC.put(ID, job.id().id());
        MDC.put(ATTEMPT, Integer.toString(job.attempt()));
        MDC.put(WORKER, worker);
    }

    static void clear() {
        MDC.remove(TYPE);
        MDC.remove(ID);
        MDC.remove(ATTEMPT);
        MDC.remove(WORKER);
    }
}
