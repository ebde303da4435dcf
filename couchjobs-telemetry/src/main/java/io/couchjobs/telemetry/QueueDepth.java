package io.couchjobs.telemetry;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
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
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gauges for the number of jobs of each type and status, and for how long the oldest due job of each type has waited.
 * Thread-safe.
 */
final class QueueDepth implements AutoCloseable {
    private final JobQueue queue;
    private final MeterRegistry registry;
    private final MultiGauge depths;
    private final MultiGauge ages;
    private final Gauge age;
    private final TriggerGauges triggers;
    private final Reading<Numbers> reading;

    QueueDepth(JobQueue queue, MeterRegistry registry, Iterable<Tag> tags, Duration every) {
        this.queue = queue;
        this.registry = registry;
        this.triggers = new TriggerGauges(queue, registry, tags, every);
        this.reading = new Reading<>("the depth of " + queue, every, this::read, this::done);
        this.depths = MultiGauge.builder("couchjobs.queue.depth")
                .description("jobs in the database")
                .tags(tags)
                .register(registry);
        this.ages = MultiGauge.builder("couchjobs.queue.oldest.due")
                .description(
                        "how long the oldest job that could run has waited; 0 when none could, the type is paused, or nobody knows since when")
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
        depth.triggers.look();
        Numbers known = depth.reading.known();
        return known == null ? Double.NaN : (System.nanoTime() - known.nanos) / 1e9;
    }

    private Numbers read() {
        Map<String, TypeCounts> counts = queue.types().counts();
        Map<String, TypeSettings> settings = queue.types().settings();
        Instant now = Instant.now().plus(queue.database().server().clockSkew());
        return new Numbers(counts, settings, now, System.nanoTime());
    }

    private void done(@Nullable Numbers read) {
        List<String> types = read == null
                ? List.of()
                : read.counts.keySet().stream().sorted().toList();
        depths.register(types.stream().flatMap(type -> rows(type).stream()).toList(), true);
        ages.register(types.stream().<MultiGauge.Row<?>>map(this::ageRow).toList(), true);
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
        Numbers known = reading.known();
        TypeCounts counts = known == null ? null : known.counts.get(type);
        return known == null
                ? Double.NaN
                : counts == null ? 0 : counts.byStatus().getOrDefault(status, 0L);
    }

    private double oldest(String type) {
        Numbers known = reading.known();
        if (known == null) {
            return Double.NaN;
        }
        Instant due = Optional.ofNullable(known.counts.get(type))
                .filter(counts -> !known.isPaused(type))
                .flatMap(TypeCounts::oldestPending)
                .filter(Instant.EPOCH::isBefore) // otherwise nobody knows since when
                .orElse(known.at);
        return Math.max(0, Duration.between(due, known.at).toMillis() / 1e3);
    }

    @Override
    public void close() {
        reading.close();
        done(null);
        triggers.close();
        registry.remove(age);
    }

    private record Numbers(Map<String, TypeCounts> counts, Map<String, TypeSettings> settings, Instant at, long nanos) {
        boolean isPaused(String type) {
            TypeSettings some = settings.get(type);
            return some != null && some.isPaused();
        }
    }
}
