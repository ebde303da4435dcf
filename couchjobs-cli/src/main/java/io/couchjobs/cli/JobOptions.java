package io.couchjobs.cli;

import io.couchjobs.job.JobRequest;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say what a new job is like; with --from they hold for every line that does not say otherwise. */
final class JobOptions {
    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "Not before this time: ISO-8601, epoch seconds or milliseconds, or +5m.")
    private @Nullable Instant at;

    @Option(names = "--in", paramLabel = "DURATION", description = "Not before so long from now: 30s, 5m, 2h, 1d.")
    private @Nullable Duration in;

    @Mixin
    private final TemplateOptions rest = new TemplateOptions();

    JobRequest.Builder start(String type, Instant now) {
        if (at != null && in != null) {
            throw CommandException.usage("--at and --in exclude each other");
        }
        JobRequest.Builder job = rest.start(type);
        if (at != null || in != null) {
            job.scheduledTime(at != null ? at : now.plus(in));
        }
        return job;
    }
}
