package io.couchjobs.telemetry;

import io.couchjobs.JobQueue;
import io.couchjobs.trigger.TriggerStatus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Gauges for the progress of each trigger: its lag, jobs and errors. Without triggers there are no gauges. Thread-safe. */
final class TriggerGauges implements AutoCloseable {
    private final JobQueue queue;
    private final MultiGauge lags;
    private final MultiGauge behind;
    private final MultiGauge jobs;
    private final MultiGauge errors;
    private final Reading<Map<String, TriggerStatus>> reading;

    TriggerGauges(JobQueue queue, MeterRegistry registry, Iterable<Tag> tags, Duration every) {
        this.queue = queue;
        this.lags = MultiGauge.builder("couchjobs.trigger.lag")
                .description("changes that wait in the sources; no number while a source cannot be asked")
                .tags(tags)
                .register(registry);
        this.behind = MultiGauge.builder("couchjobs.trigger.behind")
                .description("for how long changes have been waiting, at least; no number while nobody knows")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
        this.jobs = MultiGauge.builder("couchjobs.trigger.jobs")
                .description("jobs that were made or changed since the trigger began")
                .tags(tags)
                .register(registry);
        this.errors = MultiGauge.builder("couchjobs.trigger.errors")
                .description("changes that failed since the trigger began")
                .tags(tags)
                .register(registry);
        this.reading = new Reading<>("the state of the triggers of " + queue, every, this::read, this::done);
    }

    /** Reads the triggers again if the numbers are too old. While there are no triggers, there is no gauge that would do so. */
    void look() {
        Map<String, TriggerStatus> unused = reading.known();
    }

    private Map<String, TriggerStatus> read() {
        return queue.triggers().statuses().stream()
                .collect(Collectors.toMap(status -> status.trigger().name(), Function.identity()));
    }

    private void done(@Nullable Map<String, TriggerStatus> read) {
        List<String> triggers =
                read == null ? List.of() : read.keySet().stream().sorted().toList();
        show(lags, triggers, TriggerGauges::lag);
        show(behind, triggers, TriggerGauges::behind);
        show(jobs, triggers, TriggerStatus::jobs);
        show(errors, triggers, TriggerStatus::errors);
    }

    private void show(MultiGauge gauges, List<String> triggers, ToDoubleFunction<TriggerStatus> value) {
        gauges.register(
                triggers.stream()
                        .<MultiGauge.Row<?>>map(
                                trigger -> MultiGauge.Row.of(Tags.of("trigger", trigger), () -> value(trigger, value)))
                        .toList(),
                true);
    }

    private double value(String trigger, ToDoubleFunction<TriggerStatus> value) {
        Map<String, TriggerStatus> known = reading.known();
        TriggerStatus status = known == null ? null : known.get(trigger);
        return status == null ? Double.NaN : value.applyAsDouble(status);
    }

    private static double behind(TriggerStatus status) {
        return status.behind().map(time -> time.toMillis() / 1000.0).orElse(Double.NaN);
    }

    private static double lag(TriggerStatus status) {
        boolean isKnown =
                status.sources().stream().allMatch(source -> source.lag().isPresent());
        return isKnown ? status.lag() : Double.NaN;
    }

    @Override
    public void close() {
        reading.close();
        done(null);
    }
}
