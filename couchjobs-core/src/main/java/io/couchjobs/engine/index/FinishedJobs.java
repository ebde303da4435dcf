package io.couchjobs.engine.index;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.store.FinishedJob;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Site;
import io.couchjobs.type.Retention;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The finished jobs of a database, by the time at which they finished. Thread-safe.
 *
 * <p>A row carries the revision it was built from. A deletion on exactly that revision cannot hit a job that was added
 * again meanwhile. Documents with conflicts are left out: deleting the winner would bring a loser back.
 */
public final class FinishedJobs {
    private static final String VIEW = "finished";
    private static final long EARLIEST_MILLIS = -8_640_000_000_000_000L;

    private final JobIndex index;

    public FinishedJobs(JobIndex index) {
        this.index = index;
    }

    /**
     * {@return the number of finished jobs that are run here, by line ({@link Site}) and status; lines without any are
     * missing}
     */
    public Map<String, Map<JobStatus, Long>> counts() {
        Map<String, Map<JobStatus, Long>> counts = JobCounts.byLine(ask(query -> query.groupLevel(2)));
        counts.keySet().removeIf(line -> !index.site().ownsLine(line));
        return counts;
    }

    /**
     * Finds the jobs that a retention no longer keeps.
     *
     * @param until only jobs that finished before this time
     * @param now the time from which a retention's time counts back
     * @return the range of these jobs; empty when there are none
     */
    public Optional<Range> expendable(String line, JobStatus status, Retention retention, Instant until, Instant now) {
        List<Object> all = List.of(line, status.json());
        if (retention instanceof Retention.Delete) {
            return Optional.of(new Range(status, all, upTo(all, until)));
        }
        if (retention instanceof Retention.For time) {
            Instant end = now.minus(time.time());
            // Numbers only: a job with an unknown end does not count as old.
            List<Object> dated = JobCounts.plus(all, EARLIEST_MILLIS);
            return Optional.of(new Range(status, dated, upTo(all, end.isBefore(until) ? end : until)));
        }
        return retention instanceof Retention.Newest newest
                ? beyond(all, newest.jobs()).map(last -> new Range(status, all, earlier(last, upTo(all, until))))
                : Optional.empty();
    }

    /** Returns how many jobs are in a range. */
    public long count(Range range) {
        List<ViewResult.Row> rows =
                ask(query -> query.startKey(range.from).endKey(range.to)).rows();
        return rows.isEmpty() ? 0 : rows.get(0).value().asLong();
    }

    /**
     * Returns the jobs of a range that finished first.
     *
     * @param after the last row of the page before, or null for the first page
     * @return the rows; none when the end is reached
     */
    public List<FinishedJob> page(Range range, @Nullable FinishedJob after, int most) {
        Object from = after == null ? range.from : after.key();
        return ask(query -> query.reduce(false).startKey(from).endKey(range.to).limit(after == null ? most : most + 1L))
                .rows()
                .stream()
                .map(row -> new FinishedJob(
                        Objects.requireNonNull(row.id()),
                        row.value().path(0).asText(),
                        range.status,
                        fence(row),
                        row.key()))
                .filter(row -> after == null || !row.docId().equals(after.docId()))
                .toList();
    }

    private static OptionalLong fence(ViewResult.Row row) {
        JsonNode fence = row.value().path(1);
        return fence.canConvertToLong() ? OptionalLong.of(fence.asLong()) : OptionalLong.empty();
    }

    /**
     * Returns the key of the newest job that is not kept. One read finds it: two processes that first counted and then
     * deleted would together delete twice as many.
     */
    private Optional<JsonNode> beyond(List<Object> all, int newest) {
        return ask(query -> query.reduce(false)
                        .descending(true)
                        .startKey(JobCounts.plus(all, JobIndex.AFTER_ALL))
                        .endKey(all)
                        .skip(newest)
                        .limit(1))
                .rows()
                .stream()
                .map(ViewResult.Row::key)
                .findFirst();
    }

    private static Object earlier(JsonNode last, List<Object> until) {
        return last.path(2).asLong(Long.MIN_VALUE) < (Long) until.get(2) ? last : until;
    }

    private static List<Object> upTo(List<Object> all, Instant end) {
        return JobCounts.plus(all, end.toEpochMilli());
    }

    /** Queries this version, because an older one may not have this view. */
    private ViewResult ask(UnaryOperator<ViewQuery> query) {
        return index.askThisVersion(DesignDocument.LISTS, VIEW, query);
    }

    /** Finished jobs of one line and status that lie together in the index. Immutable and thread-safe. */
    public record Range(JobStatus status, Object from, Object to) {}
}
