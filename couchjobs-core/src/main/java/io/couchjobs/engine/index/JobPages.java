package io.couchjobs.engine.index;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.store.DataReader;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobPage;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedJobException;
import io.couchjobs.job.Site;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Lists of jobs in pages, newest first, for people to leaf through. Thread-safe.
 *
 * <p>Jobs are in the order of their creation. There is another order when the filter names a status, but no group, tag
 * or correlation id: finished jobs come by their ends, and {@code stuck} jobs by their last failures.
 *
 * <p>However many jobs there are, a page costs one read of the index for each type that the filter leaves open, and one
 * read of the documents. A job never leaves the range of its type, so one that changes its status meanwhile is not
 * missed. Where an index cannot answer a filter alone (a tag and a status), at most {@value #MOST_LOOKED_AT} jobs are
 * looked at: then a page may be short, or empty, though more follow.
 */
public final class JobPages {
    private static final int MOST_LOOKED_AT = 1000;
    private static final int MOST_READ = 500;
    private static final String NEWEST = "newest";
    private static final Object AFTER_ALL = java.util.Map.of();
    private static final Comparator<Row> NEWEST_FIRST =
            Comparator.comparingLong(Row::time).reversed().thenComparing(Row::range);

    private final CouchDatabase database;
    private final DesignDocuments designs;
    private final JobIndex index;
    private final DataReader data;

    /**
     * Pages through the jobs of a database.
     *
     * @param database the database
     * @param designs its design documents
     */
    public JobPages(CouchDatabase database, DesignDocuments designs) {
        this.database = database;
        this.designs = designs;
        this.index = new JobIndex(designs);
        this.data = new DataReader(database);
    }

    /**
     * Reads a page.
     *
     * @param filter which jobs
     * @param after where the page before ended, or null for the first one
     * @param limit how many jobs at most
     * @return the page
     */
    public JobPage page(JobFilter filter, JobPage.@Nullable Place after, int limit) {
        List<Range> ranges = ranges(filter);
        List<Job> jobs = new ArrayList<>();
        JobPage.Place place = after;
        int lookedAt = 0;
        while (true) {
            List<Row> rows = merged(ranges, place, limit + 1);
            List<Optional<Job>> documents = read(rows);
            for (int i = 0; i < rows.size(); i++) {
                if (jobs.size() == limit || lookedAt == MOST_LOOKED_AT) {
                    return new JobPage(data.lazily(jobs), place);
                }
                documents.get(i).filter(filter::matches).ifPresent(jobs::add);
                place = rows.get(i).place();
                lookedAt++;
            }
            if (rows.size() <= limit) {
                return new JobPage(data.lazily(jobs), null);
            }
        }
    }

    /**
     * The jobs that come first.
     *
     * @param filter which jobs
     * @param limit how many at most
     * @return the jobs
     */
    public List<Job> list(JobFilter filter, int limit) {
        List<Job> jobs = new ArrayList<>();
        JobPage page = page(filter, null, Math.min(limit, MOST_READ));
        jobs.addAll(page.jobs());
        while (page.end() != null && jobs.size() < limit) {
            page = page(filter, page.end(), Math.min(limit - jobs.size(), MOST_READ));
            jobs.addAll(page.jobs());
        }
        return List.copyOf(jobs);
    }

    private List<Range> ranges(JobFilter filter) {
        Optional<Range> label = label(filter);
        if (label.isPresent()) {
            return List.of(label.get());
        }
        JobStatus status = filter.ofStatus();
        return index.countsByLine().keySet().stream()
                .filter(line -> isOpen(filter, line))
                .map(line -> status == null ? new Range(NEWEST, line, "") : new Range("status", line, status.json()))
                .toList();
    }

    static boolean isOpen(JobFilter filter, String line) {
        return (filter.ofType() == null || filter.ofType().equals(Site.typeOf(line)))
                && (filter.ofSite() == null || Site.siteOf(line).equals(Optional.of(filter.ofSite())));
    }

    private static Optional<Range> label(JobFilter filter) {
        if (filter.ofCorrelation() != null) {
            return Optional.of(new Range("labels", "correlation", filter.ofCorrelation()));
        }
        if (filter.ofTag() != null) {
            return Optional.of(new Range("labels", "tag", filter.ofTag()));
        }
        return Optional.ofNullable(filter.ofGroup())
                .filter(group -> !group.isEmpty())
                .map(group -> new Range("labels", "group", group));
    }

    /**
     * The first rows of all ranges together. Within a range the order is the server's. When rows are equally old, those
     * of the lesser range come first, so that a place tells for every range how much of it was seen.
     */
    private List<Row> merged(List<Range> ranges, JobPage.@Nullable Place after, int limit) {
        PriorityQueue<Head> heads = new PriorityQueue<>(Comparator.comparing(Head::first, NEWEST_FIRST));
        for (List<Row> rows : readAll(ranges, after, limit)) {
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

    private List<List<Row>> readAll(List<Range> ranges, JobPage.@Nullable Place after, int limit) {
        return Parallel.ask(ServerAccess.environment(database.server()), ranges, range -> read(range, after, limit));
    }

    private List<Row> read(Range range, JobPage.@Nullable Place after, int limit) {
        DesignDocuments.Query query = name -> ViewQuery.of(name, range.view())
                .reduce(false)
                .descending(true)
                .startKey(range.startKey(after))
                .endKey(range.prefix())
                .limit(limit + 1L);
        return ask(database, designs, range.view(), query).rows().stream()
                .map(row -> new Row(range, row.key().path(range.prefix().size()).asLong(), String.valueOf(row.id())))
                .filter(row -> !row.place().equals(after))
                .limit(limit)
                .toList();
    }

    /** An older version answers while the index of this one is built; only this one knows the view of the newest jobs. */
    static ViewResult ask(CouchDatabase database, DesignDocuments designs, String view, DesignDocuments.Query query) {
        try {
            return designs.ask(DesignDocument.LISTS, query);
        } catch (CouchNotFoundException olderVersion) {
            if (!view.equals(NEWEST)) {
                throw olderVersion;
            }
            return database.view(query.in(DesignDocument.LISTS.versionedName()));
        }
    }

    private List<Optional<Job>> read(List<Row> rows) {
        if (rows.isEmpty()) {
            return List.of();
        }
        return database.getAll(rows.stream().map(Row::docId).toList()).stream()
                .map(document -> document.flatMap(JobPages::parsed))
                .toList();
    }

    private static Optional<Job> parsed(com.fasterxml.jackson.databind.node.ObjectNode document) {
        try {
            return Optional.of(Job.parse(document));
        } catch (MalformedJobException changedMeanwhile) {
            return Optional.empty();
        }
    }

    /** A part of an index whose rows are in the order of their age. */
    private record Range(String view, String kind, String name) implements Comparable<Range> {
        private static final Comparator<Range> ORDER =
                Comparator.comparing(Range::kind).thenComparing(Range::name);

        @Override
        public int compareTo(Range other) {
            return ORDER.compare(this, other);
        }

        /**
         * Among rows as old as the last job seen, the next page has the rest of its range, none of lesser ranges, and
         * all of greater ones.
         */
        List<Object> startKey(JobPage.@Nullable Place after) {
            List<Object> key = new ArrayList<>(prefix());
            if (after == null) {
                key.add(AFTER_ALL);
                return key;
            }
            key.add(after.time());
            int order = compareTo(new Range(view, after.kind(), after.name()));
            if (order == 0) {
                key.add(after.docId());
            } else if (order > 0) {
                key.add(AFTER_ALL);
            }
            return key;
        }

        /** All keys of the range begin with this. */
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
