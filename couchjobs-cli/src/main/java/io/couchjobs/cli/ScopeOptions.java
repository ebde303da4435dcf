package io.couchjobs.cli;

import io.couchjobs.scope.ScopeConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options for how many and which jobs a scope takes. */
final class ScopeOptions {
    static final String NAMES = "--concurrency, --queue-limit, --classes";

    @Option(
            names = "--concurrency",
            paramLabel = "N|cores*N",
            converter = OfConcurrency.class,
            description = "How many jobs run at once in each process that serves the scope: a number, cores or cores*N;"
                    + " default 10.")
    private @Nullable OrDefault<String> concurrency;

    @Option(
            names = "--queue-limit",
            paramLabel = "N",
            converter = OrDefault.OfNumber.class,
            description = "How many jobs may wait beside them; default three times as many.")
    private @Nullable OrDefault<Integer> queueLimit;

    @Option(
            names = "--classes",
            paramLabel = "A,B",
            converter = OrDefault.OfNames.class,
            description = "The classes of jobs that the scope takes; default all.")
    private @Nullable OrDefault<List<String>> classes;

    boolean areGiven() {
        return concurrency != null || queueLimit != null || classes != null;
    }

    ScopeConfig changed(ScopeConfig config) {
        ScopeConfig changed = config;
        if (concurrency != null) {
            changed = concurrency.value() == null
                    ? changed.withoutConcurrency()
                    : changed.concurrency(concurrency.value());
        }
        if (queueLimit != null) {
            changed = queueLimit.value() == null ? changed.withoutQueueLimit() : changed.queueLimit(queueLimit.value());
        }
        return classes == null ? changed : changed.classes(classes.or(List.of()).toArray(String[]::new));
    }

    /** Reads {@code default}, a number or {@code cores*N}. */
    static final class OfConcurrency implements ITypeConverter<OrDefault<String>> {
        @Override
        public OrDefault<String> convert(String text) {
            if (text.equals("default")) {
                return new OrDefault<>(null);
            }
            try {
                return new OrDefault<>(
                        ScopeConfig.DEFAULTS.concurrency(text).ofConcurrency().orElseThrow());
            } catch (IllegalArgumentException bad) {
                throw new TypeConversionException(bad.getMessage() + "; or give default");
            }
        }
    }
}
