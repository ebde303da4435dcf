package io.couchjobs.engine.index;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.ScheduledTime;
import io.couchjobs.job.Site;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Counts jobs by the sums that the index keeps. Thread-safe. */
public final class JobCounts {
    /** The suffix that {@link #of} adds to the status of jobs that were stopped while they ran. */
    public static final String KILLED = "/killed";

    static final String LABEL = "label";
    /** The number of jobs that are read to find the oldest job that could run. */
    private static final int OLDEST = 200;

    /** The order of the numbers in the view of labels. */
    private static final List<JobStatus> STATUSES = List.of(
            JobStatus.WAITING,
            JobStatus.SCHEDULED,
            JobStatus.RUNNING,
            JobStatus.STUCK,
            JobStatus.SUCCESS,
            JobStatus.FAILED,
            JobStatus.CANCELLED);

    private final JobIndex index;

    JobCounts(JobIndex index) {
        this.index = index;
    }

    /** {@return the number of jobs of any site, by type and status; types without jobs are missing} */
    public Map<String, Map<JobStatus, Long>> byType() {
        return sums(line -> true, Site::typeOf);
    }

    /** {@return the number of jobs that are run here, by type and status; types without such jobs are missing} */
    public Map<String, Map<JobStatus, Long>> byTypeHere() {
        return sums(index.site()::ownsLine, Site::typeOf);
    }

    private Map<String, Map<JobStatus, Long>> sums(Predicate<String> isCounted, UnaryOperator<String> nameOf) {
        Map<String, Map<JobStatus, Long>> counts = new TreeMap<>();
        byLine().forEach((line, byStatus) -> {
            if (isCounted.test(line)) {
                Map<JobStatus, Long> ofName =
                        counts.computeIfAbsent(nameOf.apply(line), name -> new EnumMap<>(JobStatus.class));
                byStatus.forEach((status, jobs) -> ofName.merge(status, jobs, Long::sum));
            }
        });
        return counts;
    }

    /** {@return the number of jobs, by site and status; jobs without a site are under the empty name} */
    public Map<String, Map<JobStatus, Long>> bySite() {
        return sums(line -> true, line -> Site.siteOf(line).orElse(""));
    }

    /** {@return the number of jobs of any site, by line and status; lines without jobs are missing} */
    Map<String, Map<JobStatus, Long>> byLine() {
        return byLine(index.ask(DesignDocument.LISTS, "status", query -> query.groupLevel(2)));
    }

    /** Returns the values of the rows, by line and status. */
    static Map<String, Map<JobStatus, Long>> byLine(ViewResult rows) {
        Map<String, Map<JobStatus, Long>> counts = new TreeMap<>();
        for (ViewResult.Row row : rows.rows()) {
            JobStatus.fromJson(row.key().path(1).asText()).ifPresent(status -> counts.computeIfAbsent(
                            row.key().path(0).asText(), line -> new EnumMap<>(JobStatus.class))
                    .put(status, row.value().asLong()));
        }
        return counts;
    }

    /**
     * Counts the jobs of any site that carry a label.
     *
     * @param limit the most values of the label
     * @return the number of jobs, by the value of the label, in the order of the index, and by status
     */
    public Map<String, Map<JobStatus, Long>> byLabel(JobFilter.Label label, int limit) {
        Map<String, Map<JobStatus, Long>> counts = new LinkedHashMap<>();
        index.askThisVersion(DesignDocument.LISTS, LABEL, query -> JobIndex.all(query, kind(label))
                        .groupLevel(2)
                        .limit(limit))
                .rows()
                .forEach(row -> counts.put(row.key().path(1).asText(), byStatus(row.value())));
        return counts;
    }

    /** Returns the name of a label in the view of labels. */
    static String kind(JobFilter.Label label) {
        return label.name().toLowerCase(Locale.ROOT);
    }

    private static Map<JobStatus, Long> byStatus(JsonNode sums) {
        Map<JobStatus, Long> byStatus = new EnumMap<>(JobStatus.class);
        for (int i = 0; i < STATUSES.size(); i++) {
            if (sums.path(i).asLong() > 0) {
                byStatus.put(STATUSES.get(i), sums.path(i).asLong());
            }
        }
        return byStatus;
    }

    /**
     * Counts the jobs of one type that are run here. Jobs that were stopped while they ran are counted a second time,
     * under their status and {@value #KILLED}.
     *
     * @return the number of jobs, by status, such as {@code failed} and {@code failed/killed}; a status without jobs is
     *     missing
     */
    public Map<String, Long> of(String type) {
        Map<String, Long> counts = new TreeMap<>();
        for (String line : index.site().lines(type)) {
            index.ask(DesignDocument.LISTS, "status", query -> JobIndex.all(query, line)
                            .groupLevel(2))
                    .rows()
                    .forEach(row ->
                            counts.merge(row.key().path(1).asText(), row.value().asLong(), Long::sum));
        }
        return counts;
    }

    /**
     * Counts pending jobs that are run here.
     *
     * @param until the latest scheduled time that counts
     * @param limit the number at which counting stops
     * @return the number of jobs, at most the limit
     */
    public int pending(String type, Instant until, int limit) {
        int count = 0;
        for (String line : index.site().lines(type)) {
            int left = limit - count;
            count += index.ask(DesignDocument.JOBS, "due", query -> query.startKey(List.of(line))
                            .endKey(List.of(line, ScheduledTime.nearestMillis(until)))
                            .limit(left))
                    .rows()
                    .size();
        }
        return count;
    }

    /**
     * Counts pending jobs that are run here, including jobs that wait for other jobs. Their number does not matter,
     * because the index keeps the sums.
     */
    public long pending(String type) {
        return index.site().lines(type).stream().mapToLong(this::pendingOf).sum();
    }

    private long pendingOf(String line) {
        return index
                .ask(DesignDocument.LISTS, "status", query -> query.startKey(List.of(line, JobStatus.STUCK.json()))
                        .endKey(List.of(line, JobStatus.WAITING.json(), JobIndex.AFTER_ALL))
                        .groupLevel(2))
                .rows()
                .stream()
                .filter(row -> !row.key().path(1).asText().equals(JobStatus.SUCCESS.json()))
                .mapToLong(row -> row.value().asLong())
                .sum();
    }

    /**
     * Returns since when the job that is pending for longest could run here. That is its scheduled time. For a job
     * without one, it is the time when the job was created, retried, given back or let go.
     *
     * @return the time; empty when no job of the type is pending; {@link Instant#EPOCH} when a due job does not say
     *     when it was created
     */
    public Optional<Instant> oldestPending(String type) {
        return index.site().lines(type).stream()
                .flatMap(line -> oldestOf(line).stream())
                .min(Comparator.naturalOrder());
    }

    private Optional<Instant> oldestOf(String line) {
        Optional<Instant> first = firstScheduled(line, List.of(line));
        if (first.isEmpty() || first.get().toEpochMilli() > 0) {
            return first;
        }
        Instant unscheduled = oldestUnscheduled(line).orElse(Instant.EPOCH);
        return firstScheduled(line, List.of(line, 1))
                .filter(time -> time.isBefore(unscheduled))
                .or(() -> Optional.of(unscheduled));
    }

    /**
     * Returns since when the oldest due job without a scheduled time could run. Jobs that are scheduled for later, or
     * wait for other jobs, do not count: they were often created before.
     */
    private Optional<Instant> oldestUnscheduled(String line) {
        ViewResult oldest = oldestWaiting(line);
        Optional<Instant> first = earliestDue(oldest);
        if (first.isPresent() && oldest.rows().size() < OLDEST) {
            return first;
        }
        // Behind many retried jobs, other jobs may have waited for longer.
        return Stream.concat(first.stream(), earliestDue(unscheduled(line)).stream())
                .min(Comparator.naturalOrder());
    }

    private static Optional<Instant> earliestDue(ViewResult rows) {
        return rows.rows().stream()
                .flatMap(row -> JobDocument.job(row).stream())
                .filter(job -> job.scheduledTime().toEpochMilli() <= 0 && job.isClaimable())
                .map(Job::dueSince)
                .filter(Instant.EPOCH::isBefore)
                .min(Comparator.naturalOrder());
    }

    private ViewResult oldestWaiting(String line) {
        List<Object> waiting = List.of(line, JobStatus.WAITING.json());
        return Fewer.ifTooLarge(
                OLDEST,
                some -> index.ask(DesignDocument.LISTS, "status", query -> query.reduce(false)
                        .startKey(waiting)
                        .endKey(plus(waiting, JobIndex.AFTER_ALL))
                        .includeDocs(true)
                        .limit(some)));
    }

    private ViewResult unscheduled(String line) {
        return Fewer.ifTooLarge(
                OLDEST,
                some -> index.ask(DesignDocument.JOBS, "due", query -> query.startKey(List.of(line))
                        .endKey(List.of(line, 0))
                        .includeDocs(true)
                        .limit(some)));
    }

    private Optional<Instant> firstScheduled(String line, List<Object> from) {
        return index
                .ask(DesignDocument.JOBS, "due", query -> query.startKey(from)
                        .endKey(List.of(line, JobIndex.AFTER_ALL))
                        .limit(1))
                .rows()
                .stream()
                .map(row -> Instant.ofEpochMilli(row.key().path(1).asLong()))
                .findFirst();
    }

    static List<Object> plus(List<Object> prefix, Object last) {
        List<Object> longer = new ArrayList<>(prefix);
        longer.add(last);
        return longer;
    }
}
