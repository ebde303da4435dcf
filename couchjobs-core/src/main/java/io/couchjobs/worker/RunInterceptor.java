package io.couchjobs.worker;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Stands around every run of a worker: for logging contexts, metrics, tracing, transactions. Called on the run's thread, by many
 * at once. The first one added is the outermost.
 */
@FunctionalInterface
public interface RunInterceptor {
    /**
     * Runs a job. The run fails with its exception.
     *
     * @param context the job
     * @param run the run, to be called once; its hooks are part of it
     * @return what the run returned, or something else
     * @throws Exception what the run threw, or something else
     */
    @Nullable
    Object around(JobContext context, Callable<@Nullable Object> run) throws Exception;
}
