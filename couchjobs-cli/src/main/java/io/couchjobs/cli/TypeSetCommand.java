package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code type set TYPE}: changes the settings of a type; running workers follow within moments. */
@Command(
        name = "set",
        description = {
            "Change the settings of a type; running workers follow within moments. Prints the settings as they are then.",
            "A value that is not named stays as it is; the word \"default\" takes a setting back to its default."
        },
        footer = {
            "  couchjobs type set email --timeout 5m",
            "  couchjobs type set email --max-retries 3 --retry-delay 10s --retry-jitter 20%%",
            "  couchjobs type set email --timeout default",
            "  couchjobs type set email --limit 10 --rate 100/1m",
            "  couchjobs type set email --limit none --max-expirations 3",
            "  couchjobs type set email --retention delete --failure-retention 90d",
            "  couchjobs type set email --classes urgent,normal"
        })
final class TypeSetCommand extends QueueCommand implements CreatesStore {
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);

    @Parameters(paramLabel = "TYPE", description = "The type; it need not have jobs yet.")
    private String type = "";

    @Option(
            names = "--timeout",
            paramLabel = "D",
            converter = OrDefault.OfDuration.class,
            description = "How long a worker may give no sign of life before another takes its job; default 1m,"
                    + " unless the program that runs the workers sets another. Workers give three such signs in that"
                    + " time by themselves, however long a job takes.")
    private @Nullable OrDefault<Duration> timeout;

    @Option(
            names = "--classes",
            paramLabel = "A,B",
            converter = OrDefault.OfNames.class,
            description = "The classes of jobs that workers claim; an empty name stands for jobs without a class, as in"
                    + " a,b, (and \"\" alone allows only these). Default all.")
    private @Nullable OrDefault<List<String>> classes;

    @Mixin
    private final RetryOptions retries = new RetryOptions();

    @Mixin
    private final LimitOptions limits = new LimitOptions();

    @Mixin
    private final RetentionOptions retention = new RetentionOptions();

    @Override
    void check() {
        JobId.checkType(type);
        boolean other = retries.areGiven() || limits.areGiven() || !retention.isEmpty();
        if (timeout == null && classes == null && !other) {
            throw CommandException.usage(
                    "what to set? --timeout, --classes, --retention, " + retries.names() + ", " + limits.names());
        }
        RetryOptions.checkRange("--timeout", SHORTEST_TIMEOUT, timeout);
        retries.check();
    }

    @Override
    ExitCode run(JobQueue queue) {
        TypeText.show(output(), queue.types().change(type, this::changed));
        retention.notes().forEach(note -> root().say("couchjobs: " + note));
        return ExitCode.DONE;
    }

    private TypeSettings changed(TypeSettings settings) {
        TypeSettings changed = retries.changed(retention.change(limits.changed(settings)));
        if (timeout != null) {
            changed = timeout.value() == null ? changed.withoutTimeout() : changed.withTimeout(timeout.value());
        }
        if (classes != null) {
            changed = classes.value() == null ? changed.withAllClasses() : changed.withClasses(classes.value());
        }
        return changed;
    }
}
