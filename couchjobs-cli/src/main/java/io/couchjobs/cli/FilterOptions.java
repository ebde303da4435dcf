package io.couchjobs.cli;

import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Site;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select jobs. */
final class FilterOptions {
    @Option(names = "--type", paramLabel = "T", description = "Only jobs of this type.")
    private @Nullable String type;

    @Option(
            names = "--status",
            paramLabel = "S",
            completionCandidates = EnumNames.Statuses.class,
            description = "Only jobs of this status: waiting, scheduled, running, stuck, success, failed, cancelled.")
    private @Nullable JobStatus status;

    @Option(names = "--group", paramLabel = "G", description = "Only jobs of this group.")
    private @Nullable String group;

    @Option(names = "--class", paramLabel = "C", description = "Only jobs of this class; \"\": only jobs without one.")
    private @Nullable String jobClass;

    @Option(
            names = "--origin",
            paramLabel = "O",
            description = "Only jobs of this origin, such as schedule:nightly; \"\": only jobs without one.")
    private @Nullable String origin;

    @Option(names = "--tag", paramLabel = "TAG", description = "Only jobs with this tag.")
    private @Nullable String tag;

    @Option(names = "--correlation", paramLabel = "X", description = "Only jobs with this correlation id.")
    private @Nullable String correlation;

    @Option(names = "--site", paramLabel = "NAME", description = "Only jobs that are run at this site.")
    private @Nullable String site;

    void check() {
        type().ifPresent(JobId::checkType);
        Optional.ofNullable(site).ifPresent(Site::checkName);
    }

    Optional<String> type() {
        return Optional.ofNullable(type);
    }

    boolean isEmpty() {
        return filter().equals(JobFilter.all());
    }

    JobFilter filter() {
        Map<JobFilter.Label, String> labels = new EnumMap<>(JobFilter.Label.class);
        put(labels, JobFilter.Label.GROUP, group);
        put(labels, JobFilter.Label.CLASS, jobClass);
        put(labels, JobFilter.Label.ORIGIN, origin);
        put(labels, JobFilter.Label.TAG, tag);
        put(labels, JobFilter.Label.CORRELATION, correlation);
        return new JobFilter(type, status, labels, site);
    }

    private static void put(Map<JobFilter.Label, String> labels, JobFilter.Label label, @Nullable String value) {
        if (value != null) {
            labels.put(label, value);
        }
    }
}
