package io.couchjobs.cli;

import io.couchjobs.store.Limit;
import io.couchjobs.store.TypeSettings;
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

    boolean areGiven() {
        return maxExpirations != null;
    }

    String names() {
        return "--max-expirations";
    }

    TypeSettings changed(TypeSettings settings) {
        return with(settings, Limit.EXPIRATIONS, maxExpirations);
    }

    private static TypeSettings with(TypeSettings settings, Limit limit, @Nullable OrDefault<Integer> given) {
        if (given == null) {
            return settings;
        }
        Integer number = given.value();
        return number == null ? settings.without(limit) : settings.with(limit, number);
    }
}
