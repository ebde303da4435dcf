package io.couchjobs.engine.index;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewQuery.Update;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Site;
import io.couchjobs.job.WorkerInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Queries the views. Thread-safe.
 *
 * <p>A <em>line</em> has the jobs of one type and site; see {@link Site}.
 *
 * <p>A row is only a hint, because the job may have changed since. A job is returned only if its document still has the
 * revision that the row was built from.
 */
public final class JobIndex {
    static final Map<String, Object> AFTER_ALL = Map.of();
    private static final int PAGE = 500;
    /** The number of changes that the server indexes in half a second. */
    private static final int FAR_BEHIND = 2_000;
    /**
     * The most rows that are read with their documents. A view opens each document separately, so for more rows the
     * documents are read by another request.
     */
    private static final int WITH_DOCUMENTS = 200;

    private final DesignDocuments designs;
    private final Site site;

    /** Queries the given design documents, in a database without a name. */
    public JobIndex(DesignDocuments designs) {
        this(designs, Site.UNNAMED);
    }

    /** Queries the given design documents. */
    public JobIndex(DesignDocuments designs, Site site) {
        this.designs = designs;
        this.site = site;
    }

    public Site site() {
        return site;
    }

    /**
     * Returns the pending jobs of a line from a place on.
     *
     * @param line one of the lines that {@link Site#lines} names
     * @param from the place of the first job, which is included; empty for the start of the line
     * @param update whether the index must have the latest writes
     * @param wanted selects the jobs that are worth reading
     * @return the jobs in the order of their scheduled times, including future jobs
     */
    public Window pending(
            String line, Optional<DuePlace> from, Update update, int limit, UnaryOperator<List<JobId>> wanted) {
        UnaryOperator<ViewQuery> range = query -> from.map(place -> all(query, line)
                        .startKey(List.of(line, place.time().toEpochMilli()))
                        .startKeyDocId(place.id().docId()))
                .orElseGet(() -> all(query, line));
        return Fewer.ifTooLarge(
                limit, some -> pending(query -> range.apply(query).update(update), some, wanted));
    }

    private Window pending(UnaryOperator<ViewQuery> range, int limit, UnaryOperator<List<JobId>> wanted) {
        if (limit <= WITH_DOCUMENTS) {
            return window(jobs("due", range, limit), limit);
        }
        ViewResult rows =
                ask(DesignDocument.JOBS, "due", query -> range.apply(query).limit(limit));
        List<ViewResult.Row> some = wanted(rows.rows(), wanted);
        return new Window(
                unchanged(some).filter(site::owns).toList(), rows.rows().size() < limit, end(rows.rows()));
    }

    /**
     * Returns the jobs whose documents still have the revisions of the rows, in the order of the rows. The documents
     * are read by their ids, so the server opens them together.
     */
    Stream<Job> unchanged(List<ViewResult.Row> rows) {
        List<Optional<ObjectNode>> documents = designs.database()
                .getAll(rows.stream().map(row -> String.valueOf(row.id())).toList());
        return IntStream.range(0, rows.size()).boxed().flatMap(i -> {
            Optional<String> rev = Optional.of(rows.get(i).value().asText());
            return documents
                    .get(i)
                    .flatMap(JobDocument::job)
                    .filter(job -> job.rev().equals(rev))
                    .stream();
        });
    }

    /**
     * Returns whether the server must index very many changes before it can answer; false when the server does not say.
     * A query would then slow down all writers meanwhile.
     */
    public boolean isFarBehind() {
        return designs.changesToIndex(DesignDocument.JOBS) > FAR_BEHIND;
    }

    /** Asks the server to update its indexes, without waiting for the update. */
    public void warm() {
        ask(DesignDocument.JOBS, "due", query -> query.limit(0).update(Update.LAZY));
        ask(DesignDocument.LISTS, "status", query -> query.reduce(false)
                .limit(0)
                .update(Update.LAZY));
    }

    /** Returns the stuck jobs of a line whose retries are due first, in the order of their retry times. */
    public Window stuck(String line, Update update, int limit) {
        return Fewer.ifTooLarge(
                limit, some -> window(jobs("stuck", query -> all(query, line).update(update), some), some));
    }

    /** Returns a page of an index by lanes, from a key on, inclusive. */
    public Page page(LaneKey.Order order, String line, LaneKey from, int limit) {
        return Fewer.ifTooLarge(limit, some -> readPage(order, line, from, some));
    }

    private Page readPage(LaneKey.Order order, String line, LaneKey from, int limit) {
        ViewResult result = ask(order.document(), order.view, query -> query.startKey(from.key(line))
                .endKey(List.of(line, AFTER_ALL))
                .limit(limit)
                .includeDocs(true));
        List<LaneKey> rows =
                result.rows().stream().map(row -> LaneKey.of(row.key())).toList();
        return new Page(window(result, limit).jobs(), rows, rows.size() < limit);
    }

    /**
     * Returns waiting jobs without a scheduled time, from a random place on.
     *
     * @param probe a random id; reading starts at the first job whose id is not less
     * @return the jobs; after the last job, the read goes on with the first
     */
    public List<Job> unscheduled(String line, String probe, int limit) {
        return Fewer.ifTooLarge(limit, some -> readUnscheduled(line, probe, some));
    }

    private List<Job> readUnscheduled(String line, String probe, int limit) {
        List<Object> now = List.of(line, 0);
        String docId = new JobId(Site.typeOf(line), probe).docId();
        Window after = window(
                jobs("due", query -> query.startKey(now).startKeyDocId(docId).endKey(now), limit), limit);
        if (after.jobs().size() >= limit) {
            return after.jobs();
        }
        Window before =
                window(jobs("due", query -> query.startKey(now).endKey(now).endKeyDocId(docId), limit), limit);
        return Stream.concat(after.jobs().stream(), before.jobs().stream())
                .limit(limit)
                .toList();
    }

    /** {@return the jobs of a type that are owned here} */
    public List<JobId> owned(String type) {
        return site.lines(type).stream()
                .flatMap(line -> ids(ask(DesignDocument.JOBS, "owned", query -> all(query, line))).stream())
                .toList();
    }

    /** Returns whether a type has jobs that are run here and cannot be claimed before a conflict is resolved. */
    public boolean hasConflicts(String type) {
        try {
            return jobs("conflicts", query -> query.key(type), PAGE).rows().stream()
                    .flatMap(row -> JobDocument.job(row).stream())
                    .anyMatch(site::owns);
        } catch (CouchNotFoundException olderVersion) {
            return false; // it answers while this version's index is built, and does not leave out such jobs
        }
    }

    /** {@return the documents that have several leaves, or a claim that was withdrawn} */
    public ConflictedDocuments conflicted() {
        return new ConflictedDocuments(this);
    }

    /** {@return the jobs of all types that are owned here} */
    public List<WorkerInfo.OwnedJob> owned() {
        return ask(DesignDocument.JOBS, "owned", query -> query).rows().stream()
                .filter(row -> site.ownsLine(row.key().path(0).asText()))
                .flatMap(row -> JobId.fromDocId(String.valueOf(row.id())).stream()
                        .map(id -> new WorkerInfo.OwnedJob(
                                id, row.key().path(1).asText(), row.value().asText())))
                .toList();
    }

    public JobCounts counts() {
        return new JobCounts(this);
    }

    /** {@return the first 500 documents that have the id of a job but cannot be one, each with the name of its wrong field} */
    public Map<String, String> malformed() {
        Map<String, String> malformed = new LinkedHashMap<>();
        for (ViewResult.Row row : ask(DesignDocument.LISTS, "malformed", query -> query.limit(PAGE))
                .rows()) {
            malformed.put(String.valueOf(row.id()), row.key().asText());
        }
        return malformed;
    }

    /** {@return the documents of pending jobs whose scheduled time is written in seconds} */
    public List<String> timesInSeconds() {
        return ask(DesignDocument.LISTS, "seconds", query -> query.limit(PAGE)).rows().stream()
                .map(row -> String.valueOf(row.id()))
                .toList();
    }

    static ViewQuery all(ViewQuery query, String line) {
        return query.startKey(List.of(line)).endKey(List.of(line, AFTER_ALL));
    }

    ViewResult jobs(String view, UnaryOperator<ViewQuery> range, int limit) {
        return ask(DesignDocument.JOBS, view, query -> range.apply(query)
                .limit(limit)
                .includeDocs(true));
    }

    ViewResult ask(DesignDocument document, String view, UnaryOperator<ViewQuery> parameters) {
        return designs.ask(document, name -> parameters.apply(ViewQuery.of(name, view)));
    }

    ViewResult askThisVersion(DesignDocument document, String view, UnaryOperator<ViewQuery> parameters) {
        return designs.askThisVersion(document, name -> parameters.apply(ViewQuery.of(name, view)));
    }

    private Window window(ViewResult result, int limit) {
        List<Job> jobs = new ArrayList<>();
        for (ViewResult.Row row : result.rows()) {
            JobDocument.job(row)
                    .filter(job -> job.rev().equals(Optional.of(row.value().asText())))
                    .filter(site::owns) // an index of an older version knows no sites
                    .ifPresent(jobs::add);
        }
        return new Window(List.copyOf(jobs), result.rows().size() < limit, end(result.rows()));
    }

    private static List<ViewResult.Row> wanted(List<ViewResult.Row> rows, UnaryOperator<List<JobId>> wanted) {
        List<JobId> inLine = rows.stream().flatMap(row -> idOf(row).stream()).toList();
        Set<JobId> some = new HashSet<>(wanted.apply(inLine));
        return rows.stream()
                .filter(row -> idOf(row).filter(some::contains).isPresent())
                .toList();
    }

    static Optional<JobId> idOf(ViewResult.Row row) {
        return JobId.fromDocId(String.valueOf(row.id()));
    }

    private static Optional<DuePlace> end(List<ViewResult.Row> rows) {
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        ViewResult.Row last = rows.get(rows.size() - 1);
        return idOf(last)
                .map(id -> new DuePlace(Instant.ofEpochMilli(last.key().path(1).asLong()), id));
    }

    private static List<JobId> ids(ViewResult result) {
        return result.rows().stream().flatMap(row -> idOf(row).stream()).toList();
    }

    /**
     * The result of one read of an index. Immutable and thread-safe.
     *
     * @param jobs the jobs that are still as the index says
     * @param complete whether the index has no more rows
     * @param end the place of the last row, even if its job is left out; empty when there are no rows
     */
    public record Window(List<Job> jobs, boolean complete, Optional<DuePlace> end) {}

    /**
     * The result of one read of an index by lanes.
     *
     * @param jobs the jobs that are still as the index says
     * @param rows the keys of all rows
     * @param complete whether the index has no more rows
     */
    public record Page(List<Job> jobs, List<LaneKey> rows, boolean complete) {}
}
