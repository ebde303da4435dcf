package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Time;
import io.couchjobs.job.After;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.NotFoundException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a new job. With {@code --from}, they apply to every line that does not override them. */
final class JobOptions {
    private static final Pattern SEPARATOR = Pattern.compile("[/:]");

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "Not before this time: ISO-8601, epoch seconds or milliseconds, or +5m.")
    private @Nullable Time at;

    @Option(names = "--in", paramLabel = "DURATION", description = "Not before so long from now: 30s, 5m, 2h, 1d.")
    private @Nullable Duration in;

    @Option(
            names = "--after",
            paramLabel = "TYPE/ID",
            description =
                    "Only when this job, TYPE/ID or TYPE:ID, has succeeded. It may be added later. May be given more than once.")
    private List<String> after = List.of();

    @Option(
            names = "--after-array",
            paramLabel = "TYPE/ID",
            description = "Only when all jobs of this array have succeeded. May be given more than once.")
    private List<String> afterArrays = List.of();

    /** The jobs of the arrays, once the queue was asked. */
    private List<JobId> ofArrays = List.of();

    @Option(
            names = "--after-failure",
            paramLabel = "POLICY",
            description = {
                "The fate of the job when one of those does not succeed: cancel (default), "
                        + "run (when all have ended) or wait (until that one is retried and succeeds)."
            })
    private After.@Nullable OnFailure afterFailure;

    @Option(
            names = "--site",
            paramLabel = "NAME",
            description =
                    "The database that is to run it, of several that replicate; default: the one it is created in.")
    private @Nullable String site;

    @Option(names = "--origin", paramLabel = "O", description = "The user or the program that asks for it.")
    private @Nullable String origin;

    @Mixin
    private final TemplateOptions rest = new TemplateOptions();

    JobRequest.Builder start(String type, Instant now) {
        if (at != null && in != null) {
            throw CommandException.usage("--at and --in exclude each other");
        }
        JobRequest.Builder job = countedFrom(now, rest.start(type));
        Optional.ofNullable(site).ifPresent(job::site);
        Optional.ofNullable(origin).ifPresent(job::origin);
        return held(job);
    }

    /**
     * {@return the job, with the time of {@code --at} or {@code --in}, counted from {@code now}} The check of the arguments
     * passes this machine's time, because the server's time is not known yet.
     */
    JobRequest.Builder countedFrom(Instant now, JobRequest.Builder job) {
        Optional.ofNullable(in).map(now::plus).ifPresent(job::scheduledTime);
        Optional.ofNullable(at).map(time -> time.from(now)).ifPresent(job::scheduledTime);
        return job;
    }

    /** Asks the queue for the jobs of the arrays. */
    void findArrays(JobQueue queue) {
        ofArrays = afterArrays.stream()
                .flatMap(array -> jobs(queue, jobId("--after-array", array)).stream())
                .toList();
    }

    private static List<JobId> jobs(JobQueue queue, JobId array) {
        try {
            return queue.arrays().jobs(array);
        } catch (NotFoundException none) {
            throw CommandException.noArray(array);
        } catch (IllegalStateException incomplete) {
            throw new CommandException(ExitCode.REFUSED, String.valueOf(incomplete.getMessage()));
        }
    }

    /** Returns the request, which then also waits for the jobs of the arrays. */
    JobRequest afterArrays(JobRequest request) {
        return ofArrays.isEmpty() ? request : request.after(ofArrays);
    }

    private JobRequest.Builder held(JobRequest.Builder job) {
        if (afterFailure != null && after.isEmpty() && afterArrays.isEmpty()) {
            throw CommandException.usage(
                    "--after-failure says what becomes of a job that waits for others: it needs --after or --after-array");
        }
        after.forEach(other -> job.after(jobId("--after", other)));
        afterArrays.forEach(
                array -> jobId("--after-array", array)); // a wrong one is refused before the server is asked
        ofArrays.forEach(job::after);
        return afterFailure == null ? job : job.onFailure(afterFailure);
    }

    /**
     * Splits the text at its first slash or colon. An id may contain more of them, but a type has no colon, and a type given here
     * has no slash.
     */
    private static JobId jobId(String option, String text) {
        Matcher split = SEPARATOR.matcher(text);
        try {
            if (split.find()) {
                return new JobId(text.substring(0, split.start()), text.substring(split.end()));
            }
        } catch (IllegalArgumentException wrong) {
            throw CommandException.usage(option + " \"" + text + "\": " + wrong.getMessage());
        }
        throw CommandException.usage(option + " takes a type and an id, as in email/42, not \"" + text + "\"");
    }
}
