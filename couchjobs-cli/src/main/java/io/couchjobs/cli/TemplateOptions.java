package io.couchjobs.cli;

import io.couchjobs.job.JobRequest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that new jobs and the jobs of a schedule have in common. */
final class TemplateOptions {
    @Option(names = "--group", paramLabel = "G", description = "A group; workers may serve groups in turn.")
    private @Nullable String group;

    @Option(names = "--priority", paramLabel = "N", description = "0 (least) to 99; default 50.")
    private @Nullable Integer priority;

    @Option(names = "--max-retries", paramLabel = "N", description = "Retries after the first run.")
    private @Nullable Integer maxRetries;

    @Option(names = "--tag", paramLabel = "T", description = "A label; may be given more than once.")
    private List<String> tags = List.of();

    @Option(names = "--class", paramLabel = "C", description = "A class that workers may filter on.")
    private @Nullable String jobClass;

    @Option(names = "--correlation", paramLabel = "X", description = "An id that jobs which belong together share.")
    private @Nullable String correlation;

    JobRequest.Builder start(String type) {
        JobRequest.Builder job = JobRequest.builder(type);
        Optional.ofNullable(priority).ifPresent(job::priority);
        Optional.ofNullable(maxRetries).ifPresent(job::maxRetries);
        tags.forEach(job::tag);
        return labels(job);
    }

    private JobRequest.Builder labels(JobRequest.Builder job) {
        Optional.ofNullable(group).ifPresent(job::group);
        Optional.ofNullable(jobClass).ifPresent(job::jobClass);
        Optional.ofNullable(correlation).ifPresent(job::correlationId);
        return job;
    }
}
