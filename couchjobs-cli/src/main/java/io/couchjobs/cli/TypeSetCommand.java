package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import io.couchjobs.job.RetryPolicy;
import io.couchjobs.store.TypeSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code type set TYPE}: changes the settings of a type; running workers follow within moments. */
@Command(
        name = "set",
        description = "Change the settings of a type; running workers follow within moments.",
        footer = {
            "",
            "Examples:",
            "  couchjobs type set email --timeout 5m",
            "  couchjobs type set email --max-retries 3 --retry-delay 10s"
        })
final class TypeSetCommand extends QueueCommand {
    @Parameters(paramLabel = "TYPE", description = "The type.")
    private String type = "";

    @Option(
            names = "--timeout",
            paramLabel = "D",
            description = "How long a worker may be silent before another takes its job.")
    private @Nullable Duration timeout;

    @Option(names = "--max-retries", paramLabel = "N", description = "Retries after the first run; default 5.")
    private @Nullable Integer maxRetries;

    @Option(
            names = "--retry-delay",
            paramLabel = "D",
            description = "The delay before the first retry, doubled with each failure; default 30s.")
    private @Nullable Duration retryDelay;

    @Override
    void check() {
        JobId.checkType(type);
        if (timeout == null && maxRetries == null && retryDelay == null) {
            throw CommandException.usage("what to set? --timeout, --max-retries, --retry-delay");
        }
        changed(TypeSettings.none(type));
    }

    @Override
    ExitCode run(JobQueue queue) {
        TypeText.show(output(), queue.changeSettings(type, this::changed));
        return ExitCode.DONE;
    }

    private TypeSettings changed(TypeSettings settings) {
        TypeSettings changed = timeout == null ? settings : settings.withTimeout(timeout);
        if (maxRetries == null && retryDelay == null) {
            return changed;
        }
        RetryPolicy old = settings.retryPolicy();
        return changed.withRetryPolicy(new RetryPolicy(
                maxRetries == null ? old.maxRetries() : maxRetries,
                retryDelay == null ? old.delay() : retryDelay,
                old.maxDelay()));
    }
}
