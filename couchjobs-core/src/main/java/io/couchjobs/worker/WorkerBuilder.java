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

/** Describes and starts a {@link Worker}. Not thread-safe. */
public interface WorkerBuilder {
    /**
     * {@return this builder, with a name for the worker} A worker that starts with the id of one that died takes its jobs
     * back at once; two that live at the same time must not have the same id. In a database with a name ({@link
     * io.couchjobs.job.Site}) that is added: {@code w1@munich}.
     *
     * @param newId default: the environment variable {@code HOSTNAME}, or {@code worker} where it is not set, then the process id
     *     and a random part
     */
    WorkerBuilder id(String newId);

    /**
     * {@return this builder, with the number of jobs that run at once}
     *
     * @param jobs at least 1; default the number of processors. With more than 1, the worker claims the next jobs while the ends of
     *     others are being written. So for a moment it may own more jobs than it runs
     */
    WorkerBuilder concurrency(int jobs);

    /**
     * {@return this builder, with the number of jobs that run at once}
     *
     * @param jobs a number, {@code cores}, or {@code cores*N}
     */
    WorkerBuilder concurrency(String jobs);

    /**
     * {@return this builder, for a worker that claims jobs ahead, while all its slots are taken: they are {@code scheduled},
     * and start at once when a slot is free} It saves the time of a claim between two jobs, and costs one more write per job.
     *
     * @param jobs how many at most; default 0
     */
    WorkerBuilder prefetch(int jobs);

    /**
     * {@return this builder, with something around every run: a logging context, metrics, tracing} The first one added is the
     * outermost.
     *
     * @param interceptor called on the run's thread
     */
    WorkerBuilder interceptor(RunInterceptor interceptor);

    /**
     * {@return this builder, with what becomes of jobs that still run when the time for closing is over}
     *
     * @param mode default {@link Worker.ClosingMode#RELEASE}
     */
    WorkerBuilder whenClosing(Worker.ClosingMode mode);

    /**
     * {@return this builder, for a worker that closes when the JVM exits, by a shutdown hook}
     *
     * @param timeout how long the running jobs may take; default no hook
     */
    WorkerBuilder closeOnExit(Duration timeout);

    /**
     * {@return this builder, with one more handler} The worker claims only types that it has a handler for. When it starts,
     * it stores the timeout and the retention that the type names, where the type has none yet.
     *
     * @param type the type of jobs it runs
     * @param handler called by many threads at once
     * @param <T> what the jobs' data is bound to
     */
    default <T> WorkerBuilder handler(JobType<T> type, JobHandler<? super T> handler) {
        return handlerFactory(type, () -> handler);
    }

    /**
     * {@return this builder, with one more handler} The worker claims only types that it has a handler for.
     *
     * @param type the type of jobs it runs
     * @param dataType what the jobs' data is bound to; {@code ObjectNode} takes it as it is
     * @param handler called by many threads at once
     * @param <T> what the jobs' data is bound to
     */
    default <T> WorkerBuilder handler(String type, Class<T> dataType, JobHandler<? super T> handler) {
        return handler(JobType.of(type, dataType), handler);
    }

    /**
     * {@return this builder, with one more handler, which takes the data as JSON}
     *
     * @param type the type of jobs it runs
     * @param handler called by many threads at once
     */
    default WorkerBuilder handler(String type, JobHandler<? super ObjectNode> handler) {
        return handler(type, ObjectNode.class, handler);
    }

    /**
     * {@return this builder, with one more handler, which is made anew for each run}
     *
     * @param type the type of jobs it runs
     * @param factory makes a handler for one run
     * @param <T> what the jobs' data is bound to
     */
    <T> WorkerBuilder handlerFactory(JobType<T> type, Supplier<? extends JobHandler<? super T>> factory);

    /**
     * {@return this builder, with a limit to the time that a run may take} At the limit its thread is interrupted and the run
     * counts as failed. Each item of an array has the limit by itself.
     *
     * @param limit default: no limit
     */
    WorkerBuilder timeLimit(Duration limit);

    /**
     * {@return this builder, for a worker that stops by itself when its types have neither due nor owned jobs} Jobs for later,
     * retries among them, stay. When the rate of a type is used up, the worker waits for the due jobs of that type.
     */
    WorkerBuilder untilEmpty();

    /**
     * {@return this builder, for a worker that stops by itself after so many jobs}
     *
     * @param jobs how many jobs to claim, at least 1
     */
    WorkerBuilder maxJobs(long jobs);

    /**
     * {@return this builder, for a worker that does not have its process make the jobs of schedules or follow triggers} Another
     * worker of the process may, and some worker of the queue has to.
     */
    WorkerBuilder withoutScheduler();

    /**
     * {@return this builder, for a worker that neither deletes the finished jobs that retention lets go nor sums up the history}
     * The other workers take turns in this: every ten minutes, one of them deletes such jobs. So another process with a worker is
     * needed, or a {@code gc} from time to time.
     */
    WorkerBuilder withoutSweeping();

    /**
     * {@return this builder, with one more listener that hears how each run ends} Several listeners hear it in the order in which
     * they were added.
     *
     * @param newListener called on the run's thread
     */
    WorkerBuilder onRunEnded(Consumer<RunReport> newListener);

    /**
     * {@return this builder, with another choice of which due jobs come first}
     *
     * @param strategy default {@link Strategy#FIFO}
     */
    WorkerBuilder strategy(Strategy strategy);

    /**
     * {@return this builder, for a worker that takes jobs group by group: {@link Strategy#fair}}
     *
     * @param high how many times in a row a group is asked for a job of high priority
     * @param low how many times in a row it is then asked for one of low priority
     * @throws IllegalArgumentException when a number is out of range, or both are 0
     */
    WorkerBuilder fair(int high, int low);

    /**
     * {@return this builder, for a worker that takes only some jobs, and leaves the others to other workers} The filter is
     * asked once about each revision of a job, so it should depend on the job alone; when something else changed, call
     * {@link Worker#filter}. A filter that fails has said no, which is logged and counted. It sees no attached data ({@link
     * Job#hasAttachedData}): asking for that fails. It is tried when the worker starts, with a job that has nothing but a
     * type and an id.
     *
     * @param filter which jobs to take; called by the thread that claims; must be quick and must not
     *     wait for anything
     */
    WorkerBuilder filter(Predicate<? super Job> filter);

    /**
     * {@return this builder, for a worker that takes only jobs of some classes, of those that the settings of their types
     * allow}
     *
     * @param classes the classes, {@code ""} for jobs without one; default all
     */
    WorkerBuilder classes(String... classes);

    /** {@return the types that have a handler so far} */
    Set<String> types();

    /**
     * Starts the worker.
     *
     * @return the running worker
     * @throws IllegalArgumentException naming everything that is wrong
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be used
     * @throws IllegalStateException when the queue is closed
     */
    Worker start();

    /**
     * Runs all due jobs, and those that become due through these runs, one after the other in the calling thread. Starts no
     * worker. For tests: nothing renews leases or limits the time of a run, and only the calling thread is at work. Jobs that a
     * limit of their type holds back stay.
     *
     * @return how the runs ended, in order
     * @throws IllegalArgumentException naming everything that is wrong
     * @throws IllegalStateException when there is still something due after 10,000 runs
     * @throws InterruptedException when interrupted
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be used
     */
    List<RunReport> drain() throws InterruptedException;

    /**
     * Reads how many jobs run at once.
     *
     * @param jobs a number, {@code cores}, or {@code cores*N}
     * @return how many that are on this machine
     * @throws IllegalArgumentException when it is neither
     */
    static int slots(String jobs) {
        return Concurrency.parse(jobs);
    }
}
