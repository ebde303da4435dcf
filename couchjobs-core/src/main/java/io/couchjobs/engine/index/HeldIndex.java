package io.couchjobs.engine.index;

import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The jobs of all types that wait for other jobs. There may be millions, so they are read a page at a time. Thread-safe. */
public final class HeldIndex {
    private static final String VIEW = "held";
    /** The rows of a page: without documents they are short. */
    private static final int ROWS = 2_000;

    private final JobIndex index;

    public HeldIndex(JobIndex index) {
        this.index = index;
    }

    /**
     * Returns a page of the held jobs.
     *
     * @param after the last row of the page before; empty for the first page
     */
    public Page page(Optional<ViewResult.Row> after) {
        List<ViewResult.Row> rows = rows(after);
        return new Page(
                rows.stream()
                        .filter(row -> index.site().ownsLine(row.key().asText()))
                        .flatMap(row -> JobIndex.idOf(row).stream())
                        .toList(),
                rows.size() < ROWS - 1 ? Optional.empty() : last(rows));
    }

    /** {@return the held jobs of any site; they are read while the stream is consumed} */
    public Stream<JobId> anywhere() {
        return Stream.iterate(rows(Optional.empty()), page -> !page.isEmpty(), page -> rows(last(page)))
                .flatMap(List::stream)
                .flatMap(row -> JobIndex.idOf(row).stream());
    }

    /** {@return the first held jobs of any site, at most {@code limit}} */
    public List<Job> first(int limit) {
        return index.jobs(VIEW, query -> query, limit).rows().stream()
                .flatMap(row -> JobDocument.job(row).stream())
                .toList();
    }

    /**
     * Returns the rows after a row, whose job may no longer be held. So the page begins at its place, and leaves out
     * the job if it is still there.
     */
    private List<ViewResult.Row> rows(Optional<ViewResult.Row> after) {
        return index
                .ask(DesignDocument.JOBS, VIEW, query -> after.map(
                                last -> query.startKey(last.key()).startKeyDocId(String.valueOf(last.id())))
                        .orElse(query)
                        .limit(ROWS))
                .rows()
                .stream()
                .filter(row -> after.isEmpty()
                        || !String.valueOf(row.id()).equals(after.get().id()))
                .toList();
    }

    private static Optional<ViewResult.Row> last(List<ViewResult.Row> rows) {
        return Optional.of(rows.get(rows.size() - 1));
    }

    /**
     * A page of held jobs.
     *
     * @param jobs the held jobs that are run here
     * @param last the last row that was read, even of another site's job; empty when there are no more rows
     */
    public record Page(List<JobId> jobs, Optional<ViewResult.Row> last) {}
}
