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
 * A queue for one test, with its own in-memory server and a clock that stands still until the test moves it. No job runs in the
 * background: {@link #drain} runs the due jobs in the test's thread. Only one thread may use an instance, but any number of
 * threads may use {@link #queue()}.
 *
 * <p>Leases last a day of real time, so that no lease ends while a debugger halts the test.
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

    /** {@return a new queue on a new server; {@link CouchJobsExtension} calls this once per test} */
    public static TestQueue start() {
        return start(builder -> builder);
    }

    /**
     * Starts a new queue on a new server.
     *
     * @param options the settings with which the program opens its queue, such as extensions
     * @return the queue, which the caller closes
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

    /** {@return the queue, for the code under test} */
    public JobQueue queue() {
        return queue;
    }

    /** {@return the URL of the database, for a program that opens its queue itself} */
    public URI url() {
        return couch.url().resolve("jobs");
    }

    /** {@return the clock that decides which jobs are due} */
    public TestClock clock() {
        return clock;
    }

    /** {@return the faults that a test can inject} */
    public TestFaults faults() {
        return faults;
    }

    /**
     * Sets the handler of a job type, replacing an earlier one.
     *
     * @param type the job type
     * @param handler the handler
     * @param <T> the Java type of the jobs' data
     * @return this
     */
    public <T> TestQueue handler(JobType<T> type, JobHandler<? super T> handler) {
        handlers.put(type.name(), worker -> worker.handler(type, handler));
        return this;
    }

    /**
     * Sets the handler of a job type, replacing an earlier one.
     *
     * @param type the job type
     * @param dataType the Java type of the jobs' data
     * @param handler the handler
     * @param <T> the Java type of the jobs' data
     * @return this
     */
    public <T> TestQueue handler(String type, Class<T> dataType, JobHandler<? super T> handler) {
        return handler(JobType.of(type, dataType), handler);
    }

    /**
     * Sets the handler of a job type, which takes the data as JSON, replacing an earlier one.
     *
     * @param type the job type
     * @param handler the handler
     * @return this
     */
    public TestQueue handler(String type, JobHandler<? super ObjectNode> handler) {
        return handler(type, ObjectNode.class, handler);
    }

    /**
     * Changes the worker of {@link #drain}, for example by interceptors and filters.
     *
     * @param settings applied to the builder of the worker
     * @return this
     */
    public TestQueue worker(Consumer<WorkerBuilder> settings) {
        options.add(settings);
        return this;
    }

    /**
     * Runs all jobs that are due by the clock and have a handler, one after the other, in the calling thread. This includes jobs
     * that schedules make, jobs that handlers add, and jobs that waited for other jobs. A retry runs only after the clock has
     * reached its time. Logs a warning for each type that has due jobs left and got no handler by {@link #handler(String,
     * JobHandler)}.
     *
     * @return the reports of the runs, in order
     * @throws IllegalStateException when neither a handler nor worker settings were given, or jobs are still due after 10,000
     *     runs
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
     * Moves the clock, then runs the due jobs like {@link #drain()}.
     *
     * @param time by how much to move the clock
     * @return the reports of the runs, in order
     * @throws InterruptedException when interrupted
     */
    public List<RunReport> drainAfter(Duration time) throws InterruptedException {
        clock.advance(time);
        return drain();
    }

    /**
     * Checks that jobs of a type were added. Their status does not matter.
     *
     * @param type the type
     * @return the jobs, for further checks
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
     * Checks that jobs of a type were added. Their status does not matter.
     *
     * @param type the type
     * @return the jobs, for further checks
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
     * Checks that an array was added. The status of its items does not matter.
     *
     * @param type the type of the array
     * @param id the id of the array
     * @return the array, for further checks
     * @throws AssertionError when there is none
     */
    public EnqueuedArray assertArray(JobType<?> type, String id) {
        return assertArray(type.name(), id);
    }

    /**
     * Checks that an array was added. The status of its items does not matter.
     *
     * @param type the type of the array
     * @param id the id of the array
     * @return the array, for further checks
     * @throws AssertionError when there is none
     */
    public EnqueuedArray assertArray(String type, String id) {
        EnqueuedArray array = new EnqueuedArray(queue, new JobId(type, id));
        array.state();
        return array;
    }

    /** Closes the queue and its server. All data is lost. */
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
