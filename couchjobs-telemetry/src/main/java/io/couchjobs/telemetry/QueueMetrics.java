package io.couchjobs.telemetry;

import io.couchjobs.JobQueue;
import io.couchjobs.QueueExtension;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.WorkerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reports to Micrometer what a queue and its workers do in this process. Each open queue needs its own instance. Thread-safe.
 *
 * <pre>{@code
 * JobQueue queue = JobQueue.builder(url).extension(QueueMetrics.of(registry)).open();
 * }</pre>
 *
 * The number of jobs, the age of the oldest due job, and the state of triggers are read on demand: when the metrics are read, at
 * most every 15 s by default. All other metrics need no requests.
 */
public final class QueueMetrics implements QueueExtension {
    /** The default of {@link #readEvery}: 15 s. */
    public static final Duration READ_EVERY = Duration.ofSeconds(15);

    private final MeterRegistry registry;
    private final Tags tags;
    private final Duration readEvery;
    private final Map<String, RunMeters> meters = new ConcurrentHashMap<>();
    private @Nullable QueueDepth depth;
    private volatile @Nullable FeedLag lag;

    private QueueMetrics(MeterRegistry registry, Tags tags, Duration readEvery) {
        this.registry = registry;
        this.tags = tags;
        this.readEvery = readEvery;
    }

    /**
     * Creates metrics with the defaults.
     *
     * @param registry receives the metrics
     * @return an extension for one queue
     */
    public static QueueMetrics of(MeterRegistry registry) {
        return new QueueMetrics(registry, Tags.empty(), READ_EVERY);
    }

    /**
     * Returns metrics with additional tags on all meters. Tags distinguish the queues of a process that has several.
     *
     * @param keyValues alternating keys and values
     * @return another extension
     */
    public QueueMetrics tags(String... keyValues) {
        return new QueueMetrics(registry, tags.and(keyValues), readEvery);
    }

    /**
     * Returns metrics that read the index more or less often.
     *
     * @param duration how long numbers are used before they are read again; default 15 s
     * @return another extension
     */
    public QueueMetrics readEvery(Duration duration) {
        return new QueueMetrics(registry, tags, duration);
    }

    @Override
    public synchronized void opened(JobQueue queue) {
        if (depth != null) {
            throw new IllegalStateException("these metrics have a queue already; give " + queue + " some of its own");
        }
        meters.clear();
        depth = new QueueDepth(queue, registry, tags, readEvery);
        Timer timer = RunMeters.timer(
                        "couchjobs.feed.lag", "from when a change was stored until the feed told of it", tags)
                .maximumExpectedValue(Duration.ofMinutes(1))
                .register(registry);
        lag = new FeedLag(System::nanoTime, timer::record);
    }

    @Override
    public synchronized void closed(JobQueue queue) {
        if (depth != null) {
            depth.close();
            depth = null;
            lag = null;
            // The meters stay in the map for runs that end later.
            meters.values().forEach(RunMeters::close);
        }
    }

    @Override
    public void worker(WorkerBuilder worker) {
        worker.interceptor(this::around).onRunEnded(this::ended);
    }

    @Override
    public void added(AddResult result) {
        switch (result.outcome()) {
            case ADDED, RESUBMITTED -> {
                Iterable<Tag> ofType = tags.and("type", result.id().type());
                registry.counter("couchjobs.jobs.added", ofType).increment();
                result.job().ifPresent(this::written);
            }
            case UPDATED -> result.job().ifPresent(this::written);
            case UNCHANGED, REJECTED -> {}
        }
    }

    @Override
    public void claimed(Job before, Job claimed) {
        RunMeters type = of(claimed.type());
        type.claimed();
        written(claimed);
        Instant at = claimed.times().get("claimed");
        Instant due = before.dueSince();
        if (at != null && due.isAfter(Instant.EPOCH)) {
            type.waited(Duration.between(due, at));
        }
    }

    @Override
    public void claimLost(Job job) {
        of(job.type()).conflict();
    }

    @Override
    public void changed(String docId, String rev) {
        FeedLag followed = lag;
        if (followed != null) {
            followed.heard(docId, rev);
        }
    }

    private void written(Job job) {
        FeedLag followed = lag;
        if (followed != null) {
            job.rev().ifPresent(rev -> followed.written(job.id().docId(), rev));
        }
    }

    private @Nullable Object around(JobContext context, Callable<@Nullable Object> run) throws Exception {
        RunMeters meters = of(context.id().type());
        meters.begins();
        try {
            return run.call();
        } finally {
            meters.ends();
        }
    }

    private void ended(RunReport report) {
        of(report.id().type()).ended(report);
    }

    private RunMeters of(String type) {
        return meters.computeIfAbsent(type, name -> new RunMeters(registry, tags.and("type", name)));
    }
}
