package io.couchjobs.worker;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Wraps every run of a worker, for logging contexts, metrics, tracing or transactions. Called on the run's thread, so many threads
 * call it at once. The first interceptor added is the outermost.
 */
@FunctionalInterface
public interface RunInterceptor {
    /**
     * Runs a job. The run fails if this method throws.
     *
     * @param context the job
     * @param run the run, to be called once; includes the hooks of the handler
     * @return the result of the run, or another result
     * @throws Exception the exception of the run, or another exception
     */
    @Nullable
    Object around(JobContext context, Callable<@Nullable Object> run) throws Exception;
}
