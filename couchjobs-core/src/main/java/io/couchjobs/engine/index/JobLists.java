package io.couchjobs.engine.index;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.store.DataReader;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists of jobs, read in pages by key, never by skip. Thread-safe.
 *
 * <p>A row is a hint: the job is returned as its document is when the page is read, or left out if it no longer passes.
 */
public final class JobLists {
    private static final Object AFTER_ALL = java.util.Map.of();
    private static final int PAGE = 500;

    private final CouchDatabase database;
    private final DesignDocuments designs;
    private final JobIndex index;
    private final DataReader data;
    private final JobPages pages;

    /**
     * Lists the jobs of a database.
     *
     * @param database the database
     * @param designs its design documents
     * @param index tells which types and statuses there are
     */
    public JobLists(CouchDatabase database, DesignDocuments designs, JobIndex index) {
        this.database = database;
        this.designs = designs;
        this.index = index;
        this.data = new DataReader(database);
        this.pages = new JobPages(database, designs);
    }

    /**
     * The jobs that pass a filter and come first.
     *
     * @param filter which jobs
     * @param limit how many at most
     * @return the jobs, in the order of {@link JobPages}
     */
    public List<Job> list(JobFilter filter, int limit) {
        return pages.list(filter, limit);
    }

    /**
     * All jobs that pass a filter, however many, in constant memory.
     *
     * @param filter which jobs
     * @return the jobs, read while the stream is consumed; those of one type, any status and any site by their ids, others newest first
     */
    public Stream<Job> all(JobFilter filter) {
        boolean byDocument = filter.ofStatus() == null
                && filter.ofSite() == null
                && label(filter).isEmpty();
        Stream<Range> ranges = byDocument ? Stream.of(documents(filter.ofType())) : ranges(filter).stream();
        return ranges.flatMap(range -> jobs(range, PAGE)).filter(filter::matches);
    }

    private List<Range> ranges(JobFilter filter) {
        Optional<Range> label = label(filter);
        if (label.isPresent()) {
            return List.of(label.get());
        }
        JobStatus status = filter.ofStatus();
        return index.countsByLine().keySet().stream()
                .filter(line -> JobPages.isOpen(filter, line))
                .map(line -> status == null ? newestFirst("newest", List.of(line)) : byStatus(line, status))
                .toList();
    }

    private Optional<Range> label(JobFilter filter) {
        if (filter.ofCorrelation() != null) {
            return Optional.of(labelled("correlation", filter.ofCorrelation()));
        }
        if (filter.ofTag() != null) {
            return Optional.of(labelled("tag", filter.ofTag()));
        }
        return filter.ofGroup() != null && !filter.ofGroup().isEmpty()
                ? Optional.of(labelled("group", filter.ofGroup()))
                : Optional.empty();
    }

    private Range labelled(String kind, String label) {
        return newestFirst("labels", List.of(kind, label));
    }

    private Range byStatus(String line, JobStatus status) {
        return newestFirst("status", List.of(line, status.json()));
    }

    private Range newestFirst(String view, List<Object> prefix) {
        List<Object> last = new ArrayList<>(prefix);
        last.add(AFTER_ALL);
        return (after, rows) -> JobPages.ask(database, designs, view, name -> ViewQuery.of(name, view)
                        .reduce(false)
                        .descending(true)
                        .includeDocs(true)
                        .startKey(after == null ? last : after.key())
                        .endKey(prefix)
                        .limit(rows))
                .rows();
    }

    private Range documents(@Nullable String type) {
        String prefix = DocIds.JOB + (type == null ? "" : type + ":");
        // The character after the colon: everything that begins with the prefix, in any script, comes before it.
        String end = prefix.substring(0, prefix.length() - 1) + ";";
        return (after, rows) -> database.view(ViewQuery.allDocs()
                        .includeDocs(true)
                        .startKey(after == null ? prefix : after.key())
                        .endKey(end)
                        .inclusiveEnd(false)
                        .limit(rows))
                .rows();
    }

    /** Goes through a range; the next page starts at the last row of this one, which is left out there. */
    private Stream<Job> jobs(Range range, int size) {
        return Stream.iterate(Page.first(range, size), page -> !page.rows.isEmpty(), page -> page.next(range, size))
                .flatMap(page ->
                        data
                                .lazily(page.rows.stream()
                                        .flatMap(row -> JobStore.jobOf(row).stream())
                                        .toList())
                                .stream());
    }

    /** Reads rows, from the beginning or from a row on. */
    private interface Range {
        List<ViewResult.Row> read(ViewResult.@Nullable Row from, int rows);
    }

    private record Page(List<ViewResult.Row> rows) {
        static Page first(Range range, int size) {
            return new Page(range.read(null, size));
        }

        Page next(Range range, int size) {
            ViewResult.Row last = rows.get(rows.size() - 1);
            return new Page(range.read(last, size + 1).stream()
                    .dropWhile(row -> String.valueOf(row.id()).equals(String.valueOf(last.id())))
                    .toList());
        }
    }
}
