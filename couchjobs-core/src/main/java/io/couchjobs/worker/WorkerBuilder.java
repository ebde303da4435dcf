package io.couchjobs.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobType;
import io.couchjobs.job.Strategy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Configures and starts a {@link Worker}. Not thread-safe. */
public interface WorkerBuilder {
    /**
     * {@return this builder, with an id for the worker} A worker that starts with the id of a dead worker expires the claims of
     * that worker at once. Two living workers must not have the same id. In a database with a name ({@link io.couchjobs.job.Site}),
     * the name is added: {@code w1@munich}.
     *
     * @param newId the id; the default consists of the environment variable {@code HOSTNAME} (or {@code worker} if it is not set),
     *     the process id and a random part
     */
    WorkerBuilder id(String newId);

    /**
     * {@return this builder, with the number of jobs that run at once}
     *
     * @param jobs the number of jobs, at least 1; the default is the number of processors. With more than 1, the worker claims the
     *     next jobs while the ends of others are being written, so it may briefly own more jobs than it runs
     */
    WorkerBuilder concurrency(int jobs);

    /**
     * {@return this builder, with the number of jobs that run at once}
     *
     * @param jobs a number, {@code cores}, or {@code cores*N}
     */
    WorkerBuilder concurrency(String jobs);

    /**
     * {@return this builder, for a worker that claims jobs ahead while all its slots are taken} These jobs are {@code scheduled},
     * and start as soon as a slot is free. This saves the time of a claim between two jobs, but costs one more write per job.
     *
     * @param jobs the highest number of jobs claimed ahead; default 0
     */
    WorkerBuilder prefetch(int jobs);

    /**
     * {@return this builder, with an additional interceptor around every run, such as a logging context, metrics or tracing} The
     * first interceptor added is the outermost.
     *
     * @param interceptor the interceptor, called on the run's thread
     */
    WorkerBuilder interceptor(RunInterceptor interceptor);

    /**
     * {@return this builder, with the treatment of jobs that still run after the timeout of a close}
     *
     * @param mode the mode; the default is {@link Worker.ClosingMode#RELEASE}
     */
    WorkerBuilder whenClosing(Worker.ClosingMode mode);

    /**
     * {@return this builder, for a worker with a shutdown hook that closes it when the JVM exits} Default: no hook.
     *
     * @param timeout how long running jobs may take to finish
     */
    WorkerBuilder closeOnExit(Duration timeout);

    /**
     * {@return this builder, with an additional handler} The worker claims only types for which it has a handler. When it starts,
     * it stores the timeout and the retention of the {@code JobType} as settings of the type, unless such settings exist.
     *
     * @param type the type of jobs that the handler runs
     * @param handler the handler, called by many threads at once
     * @param <T> the Java type of the jobs' data
     */
    default <T> WorkerBuilder handler(JobType<T> type, JobHandler<? super T> handler) {
        return handlerFactory(type, () -> handler);
    }

    /**
     * {@return this builder, with an additional handler} The worker claims only types for which it has a handler.
     *
     * @param type the type of jobs that the handler runs
     * @param dataType the Java type of the jobs' data; {@code ObjectNode} for the raw JSON
     * @param handler the handler, called by many threads at once
     * @param <T> the Java type of the jobs' data
     */
    default <T> WorkerBuilder handler(String type, Class<T> dataType, JobHandler<? super T> handler) {
        return handler(JobType.of(type, dataType), handler);
    }

    /**
     * {@return this builder, with an additional handler that takes the data as JSON}
     *
     * @param type the type of jobs that the handler runs
     * @param handler the handler, called by many threads at once
     */
    default WorkerBuilder handler(String type, JobHandler<? super ObjectNode> handler) {
        return handler(type, ObjectNode.class, handler);
    }

    /**
     * {@return this builder, with an additional handler that is created for each run}
     *
     * @param type the type of jobs that the handler runs
     * @param factory creates a handler for one run
     * @param <T> the Java type of the jobs' data
     */
    <T> WorkerBuilder handlerFactory(JobType<T> type, Supplier<? extends JobHandler<? super T>> factory);

    /**
     * {@return this builder, with a time limit for each run} At the limit, the run's thread is interrupted and the run counts as
     * failed. The limit applies to each item of an array separately.
     *
     * @param limit the limit; the default is no limit
     */
    WorkerBuilder timeLimit(Duration limit);

    /**
     * {@return this builder, for a worker that stops by itself when its types have neither due nor owned jobs} Jobs that are due
     * later, including retries, remain. When the rate of a type is used up, the worker waits until the due jobs of that type can
     * start.
     */
    WorkerBuilder untilEmpty();

    /**
     * {@return this builder, for a worker that stops by itself after a number of jobs}
     *
     * @param jobs the number of jobs to claim, at least 1
     */
    WorkerBuilder maxJobs(long jobs);

    /**
     * {@return this builder, for a worker that does not make its process create the jobs of schedules and follow triggers} Another
     * worker of the process may still do so, and at least one worker of the queue must.
     */
    WorkerBuilder withoutScheduler();

    /**
     * {@return this builder, for a worker that neither deletes expired finished jobs nor sums up the history} The other workers
     * take turns: every ten minutes, one of them deletes expired finished jobs. So this option needs another process with a worker,
     * or a {@code gc} from time to time.
     */
    WorkerBuilder withoutSweeping();

    /**
     * {@return this builder, with an additional listener for the end of each run} Listeners are called in the order in which they
     * were added.
     *
     * @param newListener the listener, called on the run's thread
     */
    WorkerBuilder onRunEnded(Consumer<RunReport> newListener);

    /**
     * {@return this builder, with another order of the due jobs}
     *
     * @param strategy the order; the default is {@link Strategy#FIFO}
     */
    WorkerBuilder strategy(Strategy strategy);

    /**
     * {@return this builder, for a worker that serves groups of jobs in turn; see {@link Strategy#fair}}
     *
     * @param high how many consecutive turns of a group go to jobs of high priority
     * @param low how many consecutive turns then go to jobs of low priority
     * @throws IllegalArgumentException when a number is out of range, or both are 0
     */
    WorkerBuilder fair(int high, int low);

    /**
     * {@return this builder, for a worker that claims only some jobs and leaves the others to other workers} The filter is called
     * once for each revision of a job, so it should depend on the job alone; when anything else has changed, call {@link
     * Worker#filter}. An exception of the filter counts as a rejection, and is logged and counted. The job has no attached data
     * ({@link Job#hasAttachedData}); reading such data throws an exception. When the worker starts, the filter is tested with a job
     * that has only a type and an id.
     *
     * @param filter selects the jobs to claim; called by the claiming thread; must be quick and must not wait for anything
     */
    WorkerBuilder filter(Predicate<? super Job> filter);

    /**
     * {@return this builder, for a worker that claims only jobs of some classes} The settings of a type may restrict its classes
     * further.
     *
     * @param classes the classes, {@code ""} for jobs without a class; the default is all
     */
    WorkerBuilder classes(String... classes);

    /** {@return the types that have a handler} */
    Set<String> types();

    /**
     * Starts the worker.
     *
     * @return the running worker
     * @throws IllegalArgumentException when options are invalid; the message lists all problems
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be used
     * @throws IllegalStateException when the queue is closed
     */
    Worker start();

    /**
     * Runs all due jobs, and jobs that become due through these runs, one after the other in the calling thread. Starts no worker.
     * For tests: leases are not renewed, runs have no time limit, and only the calling thread works. Jobs that a limit of their
     * type holds back remain.
     *
     * @return the reports of the runs, in order
     * @throws IllegalArgumentException when options are invalid; the message lists all problems
     * @throws IllegalStateException when jobs are still due after 10,000 runs
     * @throws InterruptedException when interrupted
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be used
     */
    List<RunReport> drain() throws InterruptedException;

    /**
     * Parses a concurrency: the number of jobs that run at once.
     *
     * @param jobs a number, {@code cores}, or {@code cores*N}
     * @return the number of jobs on this machine
     * @throws IllegalArgumentException when the text has none of these forms
     */
    static int slots(String jobs) {
        return Concurrency.parse(jobs);
    }
}
