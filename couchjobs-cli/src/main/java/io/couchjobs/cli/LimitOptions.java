package io.couchjobs.cli;

import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
import io.couchjobs.type.TypeSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code type set} that limit a type. */
final class LimitOptions {
    @Option(
            names = "--max-expirations",
            paramLabel = "N",
            converter = OrDefault.OfLimit.class,
            description = "How many workers may die running a job before it is failed instead of run again;"
                    + " default none, any number.")
    private @Nullable OrDefault<Integer> maxExpirations;

    @Option(
            names = "--limit",
            paramLabel = "N",
            converter = OrDefault.OfLimit.class,
            description = "How many jobs may run at once, over all workers; 0 for no new ones; default: no limit.")
    private @Nullable OrDefault<Integer> limit;

    @Option(
            names = "--group-limit",
            paramLabel = "N",
            converter = OrDefault.OfLimit.class,
            description = "The same for each group; jobs without one are a group.")
    private @Nullable OrDefault<Integer> groupLimit;

    @Option(
            names = "--rate",
            paramLabel = "N/D",
            converter = RateConverter.class,
            description =
                    "How many jobs may start in each window of time, over all workers, such as 100/1m; default none.")
    private @Nullable OrDefault<Rate> rate;

    @Option(
            names = "--max-queued",
            paramLabel = "N",
            converter = OrDefault.OfLimit.class,
            description = "How many jobs may be pending before new ones are refused; default none.")
    private @Nullable OrDefault<Integer> maxQueued;

    boolean areGiven() {
        return maxExpirations != null || limit != null || groupLimit != null || rate != null || maxQueued != null;
    }

    String names() {
        return "--limit, --group-limit, --rate, --max-queued, --max-expirations";
    }

    TypeSettings changed(TypeSettings settings) {
        TypeSettings changed = with(settings, Limit.EXPIRATIONS, maxExpirations);
        changed = with(changed, Limit.RUNNING, limit);
        changed = with(changed, Limit.RUNNING_PER_GROUP, groupLimit);
        changed = with(changed, Limit.QUEUED, maxQueued);
        if (rate == null) {
            return changed;
        }
        return rate.value() == null ? changed.withoutRate() : changed.withRate(rate.value());
    }

    private static TypeSettings with(TypeSettings settings, Limit limit, @Nullable OrDefault<Integer> given) {
        if (given == null) {
            return settings;
        }
        Integer number = given.value();
        return number == null ? settings.without(limit) : settings.with(limit, number);
    }
}
