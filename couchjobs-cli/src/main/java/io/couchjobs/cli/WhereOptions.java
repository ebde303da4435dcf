package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The option that selects jobs by their data. */
final class WhereOptions {
    @Option(
            names = "--where",
            paramLabel = "/PATH=VALUE",
            hideParamSyntax = true,
            converter = Where.Converter.class,
            description = {
                "Only jobs with this value in their data, by JSON Pointer: /customer/id=42. Several must all hold. No "
                        + "index helps: each job that the other options let through is read."
            })
    private List<Where> conditions = List.of();

    boolean isEmpty() {
        return conditions.isEmpty();
    }

    /** Returns the jobs that pass. If there are conditions, the jobs have their data. */
    Stream<Job> of(JobQueue queue, Stream<Job> jobs) {
        return conditions.isEmpty()
                ? jobs
                : queue.withData(jobs).filter(job -> conditions.stream().allMatch(condition -> condition.holds(job)));
    }
}
