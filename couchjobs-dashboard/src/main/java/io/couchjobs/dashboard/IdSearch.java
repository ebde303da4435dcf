package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.dashboard.view.JobDocuments;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Finds jobs by the beginning of their ids, in the order of type and id. Thread-safe. */
final class IdSearch {
    /** The last Unicode character: sorts after every character of an id. */
    private static final String LAST = "\uDBFF\uDFFF";

    private static final String JOB = "job:";

    private final JobQueue queue;
    private final Counts counts;

    IdSearch(JobQueue queue, Counts counts) {
        this.queue = queue;
        this.counts = counts;
    }

    /**
     * Returns a page. Reads at most {@code limit} documents and leaves out those that do not pass the filter, so the page may be
     * short.
     *
     * @param prefix the beginning of the ids
     * @param filter the other criteria
     * @param after the document with which the previous page ended
     * @param limit the largest number of documents to read
     */
    ObjectNode page(String prefix, JobFilter filter, Optional<String> after, int limit) {
        ObjectNode json = Call.JSON.createObjectNode();
        ArrayNode jobs = json.putArray("jobs");
        int left = limit;
        String end = null;
        for (String type : types(filter, after)) {
            List<ViewResult.Row> rows = rows(JOB + type + ":" + prefix, after, left);
            rows.stream()
                    .flatMap(row -> Optional.ofNullable(row.doc()).flatMap(JobDocuments::parsed).stream())
                    .filter(filter::matches)
                    .map(JobJson::summary)
                    .forEach(jobs::add);
            left -= rows.size();
            if (left <= 0) {
                end = rows.get(rows.size() - 1).id();
                break;
            }
        }
        return json.put("next", end);
    }

    /** Returns the types whose jobs can be on the page, sorted. */
    private Set<String> types(JobFilter filter, Optional<String> after) {
        String only = filter.ofType();
        Set<String> types = new TreeSet<>(only == null ? counts.byType().keySet() : List.of(only));
        after.flatMap(JobId::fromDocId).ifPresent(last -> types.removeIf(type -> type.compareTo(last.type()) < 0));
        return types;
    }

    private List<ViewResult.Row> rows(String begin, Optional<String> after, int limit) {
        boolean isBehind = after.filter(last -> last.startsWith(begin)).isPresent();
        ViewQuery query = ViewQuery.allDocs()
                .startKey(isBehind ? after.orElseThrow() + "\u0000" : begin)
                .endKey(begin + LAST)
                .includeDocs(true)
                .limit(limit);
        return queue.database().view(query).rows();
    }
}
