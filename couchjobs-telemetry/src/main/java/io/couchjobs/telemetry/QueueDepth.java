package io.couchjobs.telemetry;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.TypeCounts;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many jobs of each type and status there are, and how long the oldest due one has waited. When a gauge is asked and the
 * numbers are too old, a separate thread reads them anew. While the database cannot be read there are no numbers, rather than old
 * ones. Thread-safe.
 */
final class QueueDepth implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(QueueDepth.class);
    /** A client that asks for metrics gives up soon; then the numbers are there the next time. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final JobQueue queue;
    private final MeterRegistry registry;
    private final long every;
    private final MultiGauge depths;
    private final MultiGauge ages;
    private final Gauge age;
    private volatile @Nullable Numbers numbers;
    private @Nullable CompletableFuture<?> reading;
    private long readNanos;
    private boolean closed;

    QueueDepth(JobQueue queue, MeterRegistry registry, Iterable<Tag> tags, Duration every) {
        this.queue = queue;
        this.registry = registry;
        this.every = every.toNanos();
        this.depths = MultiGauge.builder("couchjobs.queue.depth")
                .description("jobs in the database")
                .tags(tags)
                .register(registry);
        this.ages = MultiGauge.builder("couchjobs.queue.oldest.due")
                .description("how long the oldest job that could run has waited; 0 when none could")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
        this.age = Gauge.builder("couchjobs.queue.numbers.age", this, QueueDepth::ageSeconds)
                .description("how old the depths are; no number while they cannot be read")
                .baseUnit("seconds")
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    private static double ageSeconds(QueueDepth depth) {
        Numbers known = depth.known();
        return known == null ? Double.NaN : (System.nanoTime() - known.nanos) / 1e9;
    }

    /** The numbers, read anew if need be. Only the caller that starts the reading waits for it. */
    private @Nullable Numbers known() {
        CompletableFuture<?> started = startIfOld();
        if (started != null) {
            try {
                started.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                log.debug("the depth of {} is not known yet", queue, e);
            }
        }
        return numbers;
    }

    private synchronized @Nullable CompletableFuture<?> startIfOld() {
        boolean fresh = numbers != null && System.nanoTime() - readNanos < every;
        boolean failedJustNow = reading != null && reading.isDone() && System.nanoTime() - readNanos < every;
        if (closed || fresh || failedJustNow || (reading != null && !reading.isDone())) {
            return null;
        }
        CompletableFuture<?> started = new CompletableFuture<>();
        reading = started;
        Thread thread = new Thread(() -> read(started), "couchjobs-metrics");
        thread.setDaemon(true);
        thread.start();
        return started;
    }

    private void read(CompletableFuture<?> started) {
        Map<String, TypeCounts> counts = Map.of();
        Numbers read = null;
        try {
            counts = queue.types().counts();
            Instant now = Instant.now().plus(queue.database().server().clockSkew());
            read = new Numbers(counts, now, System.nanoTime());
        } catch (RuntimeException | Error e) {
            log.warn(
                    "the depth of {} cannot be read; the next who asks for metrics tries again: {}",
                    queue,
                    e.toString());
        } finally {
            done(read, counts.keySet().stream().sorted().toList());
            started.complete(null);
        }
    }

    private synchronized void done(@Nullable Numbers read, List<String> types) {
        readNanos = System.nanoTime();
        numbers = read;
        if (!closed) {
            depths.register(types.stream().flatMap(type -> rows(type).stream()).toList(), true);
            ages.register(types.stream().<MultiGauge.Row<?>>map(this::ageRow).toList(), true);
        }
    }

    private List<MultiGauge.Row<?>> rows(String type) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        for (JobStatus status : JobStatus.values()) {
            rows.add(MultiGauge.Row.of(Tags.of("type", type, "status", status.json()), () -> depth(type, status)));
        }
        return rows;
    }

    private MultiGauge.Row<?> ageRow(String type) {
        return MultiGauge.Row.of(Tags.of("type", type), () -> oldest(type));
    }

    private double depth(String type, JobStatus status) {
        Numbers known = known();
        TypeCounts counts = known == null ? null : known.counts.get(type);
        return known == null
                ? Double.NaN
                : counts == null ? 0 : counts.byStatus().getOrDefault(status, 0L);
    }

    private double oldest(String type) {
        Numbers known = known();
        if (known == null) {
            return Double.NaN;
        }
        TypeCounts counts = known.counts.get(type);
        Instant due = counts == null ? known.at : counts.oldestPending().orElse(known.at);
        return Math.max(0, Duration.between(due, known.at).toMillis() / 1e3);
    }

    @Override
    public synchronized void close() {
        closed = true;
        depths.register(List.of(), true);
        ages.register(List.of(), true);
        registry.remove(age);
    }

    private record Numbers(Map<String, TypeCounts> counts, Instant at, long nanos) {}
}
