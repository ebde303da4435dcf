package io.couchjobs.cli;

import io.couchjobs.cli.input.Durations;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options for when and how often failed jobs of a type run again. */
final class RetryOptions {
    private static final Duration LONGEST = Duration.ofDays(1000);

    @Option(
            names = "--max-retries",
            paramLabel = "N",
            converter = OrDefault.OfNumber.class,
            description = "Retries after the first run; default 5, 0 for none.")
    private @Nullable OrDefault<Integer> maxRetries;

    @Option(
            names = "--retry-delay",
            paramLabel = "D",
            converter = OrDefault.OfDuration.class,
            description = "The delay before the first retry, doubled with each failure; default 30s.")
    private @Nullable OrDefault<Duration> delay;

    @Option(
            names = "--max-retry-delay",
            paramLabel = "D",
            converter = OrDefault.OfDuration.class,
            description = "Doubling ends at this delay; default 12h.")
    private @Nullable OrDefault<Duration> maxDelay;

    @Option(
            names = "--retry-jitter",
            paramLabel = "P%",
            converter = OfPercent.class,
            description = "Add a random part of up to so much to each delay, such as 20%%, so that jobs that failed"
                    + " together do not all come back together; default 0%%.")
    private @Nullable OrDefault<Integer> jitter;

    boolean areGiven() {
        return maxRetries != null || delay != null || maxDelay != null || jitter != null;
    }

    String names() {
        return "--max-retries, --retry-delay, --max-retry-delay, --retry-jitter";
    }

    void check() {
        checkRange("--retry-delay", Duration.ZERO, delay);
        checkRange("--max-retry-delay", Duration.ZERO, maxDelay);
    }

    TypeSettings changed(TypeSettings settings) {
        if (!areGiven()) {
            return settings;
        }
        RetryPolicy old = settings.retryPolicy();
        RetryPolicy standard = RetryPolicy.DEFAULT;
        return settings.withRetryPolicy(new RetryPolicy(
                maxRetries == null ? old.maxRetries() : maxRetries.or(standard.maxRetries()),
                delay == null ? old.delay() : delay.or(standard.delay()),
                maxDelay == null ? old.maxDelay() : maxDelay.or(standard.maxDelay()),
                jitter == null ? old.jitter() : jitter.or(0) / 100.0));
    }

    static void checkRange(String option, Duration shortest, @Nullable OrDefault<Duration> given) {
        Duration duration = given == null ? null : given.value();
        if (duration != null && (duration.compareTo(shortest) < 0 || duration.compareTo(LONGEST) > 0)) {
            throw CommandException.usage(option + " must be from " + Durations.format(shortest) + " to "
                    + Durations.format(LONGEST) + ": " + text(duration));
        }
    }

    /** Writes a duration. One that is too long is written in days, because the number of its milliseconds may overflow. */
    private static String text(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? duration.toDays() + "d" : Durations.format(duration);
    }

    /** Reads {@code default} or a percentage. */
    static final class OfPercent implements ITypeConverter<OrDefault<Integer>> {
        private static final Pattern PERCENT = Pattern.compile("(\\d{1,3})%?");

        @Override
        public OrDefault<Integer> convert(String text) {
            if (text.equals("default")) {
                return new OrDefault<>(null);
            }
            Matcher percent = PERCENT.matcher(text);
            if (!percent.matches() || Integer.parseInt(percent.group(1)) > 100) {
                throw new TypeConversionException("not a percentage from 0% to 100%: '" + text + "', nor default");
            }
            return new OrDefault<>(Integer.valueOf(percent.group(1)));
        }
    }
}
