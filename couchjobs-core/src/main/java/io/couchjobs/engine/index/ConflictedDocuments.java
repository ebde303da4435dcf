package io.couchjobs.engine.index;

import com.fasterxml.jackson.databind.node.NullNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The documents of a queue that have several leaves, or a claim that was withdrawn. Other documents of the same
 * database are left out. Immutable and thread-safe.
 */
public final class ConflictedDocuments {
    private static final int PAGE = 1000;
    private static final String FIRST_TYPE = "";

    private final JobIndex index;

    ConflictedDocuments(JobIndex index) {
        this.index = index;
    }

    /** {@return the {@code _id}s of the first such documents, jobs before other documents; at most 1000} */
    public List<String> first() {
        List<String> jobs = jobs(Optional.empty());
        return isFull(jobs)
                ? jobs
                : Stream.concat(jobs.stream(), besideJobs().stream())
                        .limit(PAGE)
                        .toList();
    }

    /**
     * {@return the {@code _id}s of such jobs in the order of the index, at most 1000}
     *
     * @param after the job after which the page begins; empty for the first page
     */
    public List<String> jobs(Optional<JobId> after) {
        ViewResult rows =
                ask(query -> after.map(job -> query.startKey(job.type()).startKeyDocId(job.docId() + " "))
                        .orElseGet(() -> query.startKey(FIRST_TYPE)));
        return idsOf(rows).toList();
    }

    /** {@return whether the index may have more jobs after these} */
    public static boolean isFull(List<String> jobs) {
        return jobs.size() >= PAGE;
    }

    /** {@return the {@code _id}s of all such documents that are not jobs} */
    public List<String> besideJobs() {
        List<String> found = new ArrayList<>();
        Optional<String> from = DocIds.prefixAfter("");
        while (from.isPresent()) {
            String start = from.get();
            List<String> page = idsOf(ask(query -> query.startKey(NullNode.instance)
                            .startKeyDocId(start)
                            .endKey(NullNode.instance)))
                    .toList();
            page.stream().filter(DocIds::isBesideJobs).forEach(found::add);
            from = page.size() < PAGE ? Optional.empty() : after(page.get(page.size() - 1));
        }
        return found;
    }

    /** Returns where the next such document can be. */
    private static Optional<String> after(String docId) {
        return DocIds.isBesideJobs(docId) ? Optional.of(docId + " ") : DocIds.prefixAfter(docId);
    }

    private ViewResult ask(UnaryOperator<ViewQuery> range) {
        return index.askThisVersion(
                DesignDocument.JOBS, "conflicts", query -> range.apply(query).limit(PAGE));
    }

    private static Stream<String> idsOf(ViewResult result) {
        return result.rows().stream().map(row -> String.valueOf(row.id()));
    }
}
