package io.couchjobs.test;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.WorkerBuilder;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A queue for one test, with a server of its own in memory and a clock that stands still until the test moves it. Nothing runs
 * by itself: {@link #drain} runs what is due, in the test's thread. To be used by one thread, but for {@link #queue()}, which any
 * number of threads may use.
 *
 * <p>Leases last a day of real time here, so that a test may be looked at with a debugger.
 */
public final class TestQueue implements AutoCloseable {
    private static final Duration LEASE = Duration.ofDays(1);

    private final EmbeddedCouch couch;
    private final TestClock clock = new TestClock(Instant.now());
    private final JobQueue queue;
    private final TestFaults faults;
    private final LeftJobs left;
    private final Map<String, Consumer<WorkerBuilder>> handlers = new LinkedHashMap<>();
    private final List<Consumer<WorkerBuilder>> options = new ArrayList<>();

    private TestQueue(EmbeddedCouch couch, UnaryOperator<JobQueueBuilder> options) {
        this.couch = couch;
        this.queue = options.apply(JobQueue.builder(url()).defaultTimeout(LEASE).settableClock(clock))
                .open();
        this.left = new LeftJobs(queue);
        this.faults = new TestFaults(couch.faults(), queue.database());
    }

    /** {@return a new queue on a new server; JUnit's extension makes one for each test} */
    public static TestQueue start() {
        return start(builder -> builder);
    }

    /**
     * Makes a new queue on a new server.
     *
     * @param options what the program sets when it opens its queue, such as extensions
     * @return the queue, to be closed
     */
    public static TestQueue start(UnaryOperator<JobQueueBuilder> options) {
        EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
        try {
            return new TestQueue(couch, options);
        } catch (RuntimeException e) {
            couch.close();
            throw e;
        }
    }

    /** {@return the queue, to be given to what is tested} */
    public JobQueue queue() {
        return queue;
    }

    /** {@return the database, for a program that opens its queue itself} */
    public URI url() {
        return couch.url().resolve("jobs");
    }

    /** {@return the time, by which jobs are due} */
    public TestClock clock() {
        return clock;
    }

    /** {@return the switch that makes trouble} */
    public TestFaults faults() {
        return faults;
    }

    /**
     * Gives the handler of a type, in place of the one it had.
     *
     * @param type the type of jobs it runs
     * @param handler what runs them
     * @param <T> what the jobs' data is bound to
     * @return this
     */
    public <T> TestQueue handler(JobType<T> type, JobHandler<? super T> handler) {
        handlers.put(type.name(), worker -> worker.handler(type, handler));
        return this;
    }

    /**
     * Gives the handler of a type, in place of the one it had.
     *
     * @param type the type of jobs it runs
     * @param dataType what the jobs' data is bound to
     * @param handler what runs them
     * @param <T> what the jobs' data is bound to
     * @return this
     */
    public <T> TestQueue handler(String type, Class<T> dataType, JobHandler<? super T> handler) {
        return handler(JobType.of(type, dataType), handler);
    }

    /**
     * Gives the handler of a type, which takes the data as JSON, in place of the one it had.
     *
     * @param type the type of jobs it runs
     * @param handler what runs them
     * @return this
     */
    public TestQueue handler(String type, JobHandler<? super ObjectNode> handler) {
        return handler(type, ObjectNode.class, handler);
    }

    /**
     * Sets what {@link #drain} uses besides handlers, such as interceptors and filters.
     *
     * @param settings sets it
     * @return this
     */
    public TestQueue worker(Consumer<WorkerBuilder> settings) {
        options.add(settings);
        return this;
    }

    /**
     * Runs, in the calling thread and one after the other, all jobs that are due by the clock and have a handler: also those that
     * schedules make, those that handlers add, and those that waited for others. Retries run when the clock has moved. Types
     * that were given no handler by {@link #handler(String, JobHandler)}, and whose jobs are left due, are logged as a warning.
     *
     * @return how the runs ended, in order
     * @throws IllegalStateException when no type has a handler, or there is no end of it
     * @throws InterruptedException when interrupted
     */
    public List<RunReport> drain() throws InterruptedException {
        if (handlers.isEmpty() && options.isEmpty()) {
            throw new IllegalStateException("no type has a handler yet; give one by handler(type, ...)");
        }
        List<RunReport> reports = new ArrayList<>();
        List<RunReport> round;
        do {
            queue.schedules().makeDue();
            WorkerBuilder worker = queue.worker().id("test");
            handlers.values().forEach(handler -> handler.accept(worker));
            options.forEach(option -> option.accept(worker));
            round = worker.drain();
            reports.addAll(round);
        } while (!round.isEmpty());
        left.look(handlers.keySet(), clock.instant());
        return List.copyOf(reports);
    }

    /**
     * Lets time pass, then runs what is due, as {@link #drain()}.
     *
     * @param time how much time passes
     * @return how the runs ended, in order
     * @throws InterruptedException when interrupted
     */
    public List<RunReport> drainAfter(Duration time) throws InterruptedException {
        clock.advance(time);
        return drain();
    }

    /**
     * Checks that jobs of a type were added, whatever happened to them since.
     *
     * @param type the type
     * @return the jobs, to be looked at more closely
     * @throws AssertionError when there are none
     */
    public EnqueuedJobs assertEnqueued(JobType<?> type) {
        return assertEnqueued(type.name());
    }

    /**
     * Checks that no job of a type was added.
     *
     * @param type the type
     * @throws AssertionError when there is one
     */
    public void assertNotEnqueued(JobType<?> type) {
        assertNotEnqueued(type.name());
    }

    /**
     * Checks that jobs of a type were added, whatever happened to them since.
     *
     * @param type the type
     * @return the jobs, to be looked at more closely
     * @throws AssertionError when there are none
     */
    public EnqueuedJobs assertEnqueued(String type) {
        return new EnqueuedJobs(type, all(type), clock, left.hint(type)).matching("", job -> true);
    }

    /**
     * Checks that no job of a type was added.
     *
     * @param type the type
     * @throws AssertionError when there is one
     */
    public void assertNotEnqueued(String type) {
        List<Job> jobs = all(type);
        if (!jobs.isEmpty()) {
            throw new AssertionError("no " + type + " job was expected, " + EnqueuedJobs.list(type, jobs));
        }
    }

    /**
     * Checks that an array was added, whatever happened to its items since.
     *
     * @param type the type of its items
     * @param id its id
     * @return the array, to be looked at more closely
     * @throws AssertionError when there is none
     */
    public EnqueuedArray assertArray(JobType<?> type, String id) {
        return assertArray(type.name(), id);
    }

    /**
     * Checks that an array was added, whatever happened to its items since.
     *
     * @param type the type of its items
     * @param id its id
     * @return the array, to be looked at more closely
     * @throws AssertionError when there is none
     */
    public EnqueuedArray assertArray(String type, String id) {
        EnqueuedArray array = new EnqueuedArray(queue, new JobId(type, id));
        array.state();
        return array;
    }

    /** Closes the queue, and its server with all that was in it. */
    @Override
    public void close() {
        couch.faults().clear();
        queue.close();
        couch.close();
    }

    private List<Job> all(String type) {
        return queue.withData(queue.all(type)).toList();
    }
}
