package io.couchjobs.telemetry;

import io.couchjobs.worker.RunReport;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** The meters for the jobs of one type that this process runs. All of them are registered at the first claim. Thread-safe. */
final class RunMeters implements AutoCloseable {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST_RUN = Duration.ofHours(1);
    private static final Duration LONGEST_WAIT = Duration.ofDays(1);

    private final MeterRegistry registry;
    private final Counter claimed;
    private final Counter conflicts;
    private final Timer waits;
    private final Timer runs;
    private final AtomicInteger running = new AtomicInteger();
    private final Gauge gauge;
    private final Map<RunReport.Outcome, Counter> ends = new EnumMap<>(RunReport.Outcome.class);

    /** Takes {@code Iterable<Tag>} because Micrometer before 1.16 has no {@code counter(String, Tags)}. */
    RunMeters(MeterRegistry registry, Iterable<Tag> tags) {
        this.registry = registry;
        this.claimed = registry.counter("couchjobs.jobs.claimed", tags);
        this.conflicts = registry.counter("couchjobs.claim.conflicts", tags);
        for (RunReport.Outcome outcome : RunReport.Outcome.values()) {
            ends.put(
                    outcome, registry.counter("couchjobs.jobs." + outcome.name().toLowerCase(Locale.ROOT), tags));
        }
        this.waits = timer("couchjobs.wait.duration", "from when a job could run until it was claimed", tags)
                .maximumExpectedValue(LONGEST_WAIT)
                .register(registry);
        this.runs = timer("couchjobs.run.duration", "how long a run took, however it ended", tags)
                .maximumExpectedValue(LONGEST_RUN)
                .register(registry);
        this.gauge = Gauge.builder("couchjobs.jobs.running", running, AtomicInteger::get)
                .description("jobs that run in this process now")
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    void claimed() {
        claimed.increment();
    }

    void conflict() {
        conflicts.increment();
    }

    void waited(Duration time) {
        waits.record(time.isNegative() ? Duration.ZERO : time);
    }

    void begins() {
        running.incrementAndGet();
    }

    void ends() {
        running.decrementAndGet();
    }

    void ended(RunReport report) {
        Objects.requireNonNull(ends.get(report.outcome())).increment();
        runs.record(report.took());
    }

    /** Removes the gauge only. The other meters are sums, and the meters of the next queue continue them. */
    @Override
    public void close() {
        registry.remove(gauge);
    }

    static Timer.Builder timer(String name, String description, Iterable<Tag> tags) {
        return Timer.builder(name)
                .description(description)
                .tags(tags)
                .publishPercentileHistogram()
                .minimumExpectedValue(SHORTEST);
    }
}
