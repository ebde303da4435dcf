package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPage;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code list}: lists jobs, newest first. */
@Command(
        name = "list",
        description = {
            "List jobs, newest first, by their creation. With a --status and no group, class, origin, tag or correlation,",
            "finished jobs come by their end, and stuck jobs by their last failure.",
            "While the server builds an index it waits, up to 10 minutes, and says how far the server is."
        },
        footer = {
            "  couchjobs list --type email --status failed",
            "  couchjobs list --status failed --since 1h",
            "  couchjobs list --type email --where /to=ada@example.org",
            "  couchjobs list --type email --array campaign-7 --status failed",
            "  couchjobs list --tag nightly --limit 1000 -o ndjson | jq -r .id"
        })
final class ListCommand extends QueueCommand implements TellsIds {
    private static final int PAGE = 200;

    @Mixin
    private final FilterOptions which = new FilterOptions();

    @Mixin
    private final WhereOptions where = new WhereOptions();

    @Option(
            names = "--array",
            paramLabel = "ID",
            description = "The jobs that store this array of --type, in the order of its items.")
    private @Nullable String array;

    @Option(names = "--limit", paramLabel = "N", description = "How many at most; default 100.")
    private int limit = 100;

    @Option(
            names = "--since",
            paramLabel = "DURATION",
            description = {
                "Only jobs that were created since then: 30m, 12h, 7d. With a finished --status, and no group, class, "
                        + "origin, tag or correlation: that have ended since then."
            })
    private @Nullable Duration since;

    @Override
    void check() {
        which.check();
        if (array != null
                && (which.type().isEmpty()
                        || since != null
                        || !where.isEmpty()
                        || which.filter().ofSite() != null
                        || !which.filter().labels().isEmpty())) {
            throw CommandException.usage("--array needs --type, and goes with --status and --limit only");
        }
        if (limit < 1) {
            throw CommandException.usage("--limit must be at least 1: " + limit);
        }
    }

    @Override
    ExitCode run(JobQueue queue) throws Exception {
        List<Job> jobs = array == null
                ? listed(queue)
                : chunks(queue, new JobId(which.type().orElseThrow(), array));
        output().rows(
                        () -> JobText.table(jobs, ServerTime.of(queue)),
                        () -> queue.withData(jobs.stream()).map(JobJson::of).toList());
        if (jobs.isEmpty()) {
            root().say("couchjobs: no such jobs");
        }
        return ExitCode.DONE;
    }

    private List<Job> listed(JobQueue queue) throws Exception {
        return new IndexWait(queue, root().progress())
                .ask(() -> since == null && where.isEmpty() ? queue.list(which.filter(), limit) : searched(queue));
    }

    private List<Job> chunks(JobQueue queue, JobId id) {
        JobStatus status = which.filter().ofStatus();
        return queue.arrays()
                .chunks(id)
                .filter(chunk -> status == null || chunk.status() == status)
                .limit(limit)
                .toList();
    }

    /** Reads pages until the first job that is too old, because jobs come newest first. */
    private List<Job> searched(JobQueue queue) {
        Instant time = since == null ? Instant.MIN : ServerTime.of(queue).minus(since);
        JobFilter filter = which.filter();
        List<Job> jobs = new ArrayList<>();
        JobPage.Place place = null;
        do {
            JobPage page = queue.page(filter, place, where.isEmpty() ? Math.min(limit, PAGE) : PAGE);
            Stream<Job> young =
                    page.jobs().stream().filter(job -> !time(filter, job).isBefore(time));
            where.of(queue, young).limit(limit - jobs.size()).forEach(jobs::add);
            place = page.end();
        } while (place != null && !Instant.ofEpochMilli(place.time()).isBefore(time) && jobs.size() < limit);
        return jobs;
    }

    /** {@return the time by which the index sorts the jobs of this filter; the same rule is in design-docs/lib/job.js} */
    private static Instant time(JobFilter filter, Job job) {
        boolean isEnd = filter.labels().isEmpty()
                && filter.ofStatus() != null
                && filter.ofStatus().phase() == JobPhase.FINISHED;
        if (!isEnd) {
            return job.times().getOrDefault("created", job.scheduledTime());
        }
        Instant newest =
                job.times().values().stream().max(Comparator.naturalOrder()).orElse(Instant.EPOCH);
        return job.times().getOrDefault("finished", newest);
    }
}
