package io.couchjobs.engine.index;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobPage;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Site;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads lists of jobs in pages, by key and never by skip. Thread-safe.
 *
 * <p>Jobs are ordered by their creation, newest first. When the filter names a status but no label, finished jobs are
 * ordered by their ends, and {@code stuck} jobs by their last failures. A row is only a hint: a job is returned as it
 * is stored when the page is read, or left out if it no longer passes the filter.
 *
 * <p>A page costs one read of the index for each type that the filter allows, and one read of the documents, however
 * many jobs there are. A job never leaves the range of its type, so a job whose status changes meanwhile is not missed.
 * When an index alone cannot answer a filter (a tag and a status), a page looks at no more than {@value
 * #MOST_LOOKED_AT} jobs. Such a page may be short, or empty, although more jobs follow. A page is also short when more
 * documents would be too large for one answer.
 */
public final class Listing {
    private static final int MOST_LOOKED_AT = 1000;
    private static final int MOST_READ = 500;
    private static final String NEWEST = "newest";
    private static final Comparator<Row> NEWEST_FIRST =
            Comparator.comparingLong(Row::time).reversed().thenComparing(Row::range);

    private final CouchDatabase database;
    private final DesignDocuments designs;
    private final JobIndex index;

    /** Reads lists of the jobs of a database. The index tells which types there are. */
    public Listing(DesignDocuments designs, JobIndex index) {
        this.database = designs.database();
        this.designs = designs;
        this.index = index;
    }

    /**
     * Returns a page of the jobs that pass a filter.
     *
     * @param after where the page before ended; null for the first page
     */
    public JobPage page(JobFilter filter, JobPage.@Nullable Place after, int limit) {
        return page(filter, ranges(filter), after, limit);
    }

    /** Returns the first jobs that pass a filter. */
    public List<Job> list(JobFilter filter, int limit) {
        return jobs(filter, ranges(filter), Math.min(limit, MOST_READ))
                .limit(limit)
                .toList();
    }

    /**
     * Returns all jobs that pass a filter, however many, in constant memory: they are read while the stream is
     * consumed. When the filter names no status, no site and no label, the jobs are ordered by id. Otherwise they are
     * ordered by type, newest first.
     */
    public Stream<Job> all(JobFilter filter) {
        boolean byDocument = filter.ofStatus() == null
                && filter.ofSite() == null
                && label(filter).isEmpty();
        return byDocument
                ? documents(filter)
                : Stream.iterate(first(filter, ranges(filter)), Objects::nonNull, part -> next(filter, part))
                        .flatMap(part -> part.page().jobs().stream());
    }

    /**
     * The ranges that are left to read, and a page of the first one. A stream for each range would be read whole by an
     * iterator.
     */
    private record Part(List<Range> ranges, JobPage page) {}

    private @Nullable Part first(JobFilter filter, List<Range> ranges) {
        return ranges.isEmpty() ? null : part(filter, ranges, null);
    }

    private @Nullable Part next(JobFilter filter, Part part) {
        List<Range> ranges = part.ranges();
        JobPage.Place end = part.page().end();
        return end == null ? first(filter, ranges.subList(1, ranges.size())) : part(filter, ranges, end);
    }

    private Part part(JobFilter filter, List<Range> ranges, JobPage.@Nullable Place after) {
        return new Part(ranges, page(filter, ranges.subList(0, 1), after, MOST_READ));
    }

    private Stream<Job> jobs(JobFilter filter, List<Range> ranges, int size) {
        return Stream.iterate(
                        page(filter, ranges, null, size),
                        Objects::nonNull,
                        page -> page.end() == null ? null : page(filter, ranges, page.end(), size))
                .flatMap(page -> page.jobs().stream());
    }

    private JobPage page(JobFilter filter, List<Range> ranges, JobPage.@Nullable Place after, int limit) {
        return Fewer.ifTooLarge(limit, some -> readPage(filter, ranges, after, some));
    }

    private JobPage readPage(JobFilter filter, List<Range> ranges, JobPage.@Nullable Place after, int limit) {
        List<Job> jobs = new ArrayList<>();
        JobPage.Place place = after;
        int lookedAt = 0;
        while (true) {
            List<Row> rows = merged(ranges, place, limit + 1);
            List<Optional<Job>> documents = read(rows);
            for (int i = 0; i < rows.size(); i++) {
                if (jobs.size() == limit || lookedAt == MOST_LOOKED_AT) {
                    return new JobPage(jobs, place);
                }
                documents.get(i).filter(filter::matches).ifPresent(jobs::add);
                place = rows.get(i).place();
                lookedAt++;
            }
            if (rows.size() <= limit) {
                return new JobPage(jobs, null);
            }
        }
    }

    private Stream<Job> documents(JobFilter filter) {
        String prefix = DocIds.JOB + (filter.ofType() == null ? "" : filter.ofType() + ":");
        String end = DocIds.after(prefix);
        return Stream.iterate(
                        documents(prefix, end),
                        page -> !page.isEmpty(),
                        page -> documents(
                                String.valueOf(page.get(page.size() - 1).id()), end))
                .flatMap(List::stream)
                .flatMap(row -> JobDocument.job(row).stream())
                .filter(filter::matches);
    }

    /** Returns the rows after an id. It is the id of the last row of the page before, or the id of no document. */
    private List<ViewResult.Row> documents(String after, String end) {
        return Fewer.ifTooLarge(MOST_READ, some -> documents(after, end, some));
    }

    private List<ViewResult.Row> documents(String after, String end, int limit) {
        return database
                .view(ViewQuery.allDocs()
                        .includeDocs(true)
                        .startKey(after)
                        .endKey(end)
                        .inclusiveEnd(false)
                        .limit(limit + 1L))
                .rows()
                .stream()
                .filter(row -> !after.equals(row.id()))
                .toList();
    }

    private List<Range> ranges(JobFilter filter) {
        Optional<Range> label = label(filter);
        if (label.isPresent()) {
            return List.of(label.get());
        }
        JobStatus status = filter.ofStatus();
        return index.counts().byLine().keySet().stream()
                .filter(line -> isOpen(filter, line))
                .map(line -> status == null ? new Range(NEWEST, line, "") : new Range("status", line, status.json()))
                .toList();
    }

    static boolean isOpen(JobFilter filter, String line) {
        return (filter.ofType() == null || filter.ofType().equals(Site.typeOf(line)))
                && (filter.ofSite() == null || Site.siteOf(line).equals(Optional.of(filter.ofSite())));
    }

    private static Optional<Range> label(JobFilter filter) {
        return filter.labels().entrySet().stream()
                .filter(label -> !label.getValue().isEmpty())
                .findFirst()
                .map(label -> new Range(JobCounts.LABEL, JobCounts.kind(label.getKey()), label.getValue()));
    }

    /**
     * Returns the first rows of all ranges together. Within a range the order is the server's. When rows are equally
     * old, the rows of the lesser range come first. So a place tells for every range how much of it was seen.
     */
    private List<Row> merged(List<Range> ranges, JobPage.@Nullable Place after, int limit) {
        PriorityQueue<Head> heads = new PriorityQueue<>(Comparator.comparing(Head::first, NEWEST_FIRST));
        for (List<Row> rows :
                Parallel.ask(ServerAccess.environment(database.server()), ranges, range -> read(range, after, limit))) {
            if (!rows.isEmpty()) {
                heads.add(new Head(rows, 0));
            }
        }
        List<Row> merged = new ArrayList<>();
        while (merged.size() < limit && !heads.isEmpty()) {
            Head head = heads.remove();
            merged.add(head.first());
            head.next().ifPresent(heads::add);
        }
        return merged;
    }

    private List<Row> read(Range range, JobPage.@Nullable Place after, int limit) {
        Function<String, ViewQuery> query = name -> ViewQuery.of(name, range.view())
                .reduce(false)
                .descending(true)
                .startKey(range.startKey(after))
                .endKey(range.prefix())
                .limit(limit + 1L);
        return ask(query).rows().stream()
                .map(row -> new Row(range, row.key().path(range.prefix().size()).asLong(), String.valueOf(row.id())))
                .filter(row -> !row.place().equals(after))
                .limit(limit)
                .toList();
    }

    /**
     * Asks the version that can answer now. An older version answers while the index of this version is built; if it
     * lacks the view, asks this version.
     */
    private ViewResult ask(Function<String, ViewQuery> query) {
        try {
            return designs.ask(DesignDocument.LISTS, query);
        } catch (CouchNotFoundException olderVersion) {
            return designs.askThisVersion(DesignDocument.LISTS, query);
        }
    }

    private List<Optional<Job>> read(List<Row> rows) {
        if (rows.isEmpty()) {
            return List.of();
        }
        return database.getAll(rows.stream().map(Row::docId).toList()).stream()
                .map(document -> document.flatMap(JobDocument::job))
                .toList();
    }

    /** A part of an index in which the rows are ordered by age. */
    private record Range(String view, String kind, String name) implements Comparable<Range> {
        private static final Comparator<Range> ORDER =
                Comparator.comparing(Range::kind).thenComparing(Range::name);

        @Override
        public int compareTo(Range other) {
            return ORDER.compare(this, other);
        }

        /**
         * Returns the key at which the next page starts. Among rows as old as the last job seen, the next page has the
         * rest of that job's range, no rows of lesser ranges, and all rows of greater ranges.
         */
        List<Object> startKey(JobPage.@Nullable Place after) {
            List<Object> key = new ArrayList<>(prefix());
            if (after == null) {
                key.add(JobIndex.AFTER_ALL);
                return key;
            }
            key.add(after.time());
            int order = compareTo(new Range(view, after.kind(), after.name()));
            if (order == 0) {
                key.add(after.docId());
            } else if (order > 0) {
                key.add(JobIndex.AFTER_ALL);
            }
            return key;
        }

        /** Returns the prefix of all keys of the range. */
        List<Object> prefix() {
            return view.equals(NEWEST) ? List.of(kind) : List.of(kind, name);
        }
    }

    private record Row(Range range, long time, String docId) {
        JobPage.Place place() {
            return new JobPage.Place(time, range.kind, range.name, docId);
        }
    }

    private record Head(List<Row> rows, int position) {
        Row first() {
            return rows.get(position);
        }

        Optional<Head> next() {
            return position + 1 < rows.size() ? Optional.of(new Head(rows, position + 1)) : Optional.empty();
        }
    }
}
