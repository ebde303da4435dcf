package io.couchjobs.store;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.job.Job;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads the jobs of many rows of an index. Thread-safe.
 *
 * <p>A view that includes documents opens each by itself, which costs the server ten times what the rows cost. When the rows
 * are in the order of ids, as those of jobs without a time are, and nearly all documents between the first and the last are
 * theirs, these are read as one range, which is four times cheaper; else by their ids, which is still cheaper than by the view.
 */
final class WindowDocuments {
    /** One document that is not wanted in so many that are makes a range dense enough. */
    private static final int DENSE = 10;

    private final CouchDatabase database;

    WindowDocuments(CouchDatabase database) {
        this.database = database;
    }

    /**
     * The jobs whose documents are still as the rows say, in the order of the rows.
     *
     * @param index the rows
     * @param sparse whether there are many other documents between them
     */
    Stream<Job> jobs(List<ViewResult.Row> index, boolean sparse) {
        Map<String, ViewResult.Row> documents = new HashMap<>();
        List<String> ids = index.stream().map(row -> String.valueOf(row.id())).toList();
        if (!sparse && isSorted(ids) && isDense(ids)) {
            put(documents, range(ids).includeDocs(true));
        }
        List<String> missing =
                ids.stream().filter(id -> !documents.containsKey(id)).toList();
        if (!missing.isEmpty()) {
            put(documents, ViewQuery.allDocs().keys(missing).includeDocs(true));
        }
        return index.stream()
                .flatMap(row -> Optional.ofNullable(documents.get(String.valueOf(row.id())))
                        .flatMap(JobIndex::jobOf)
                        .filter(job -> job.rev().equals(Optional.of(row.value().asText())))
                        .stream());
    }

    private void put(Map<String, ViewResult.Row> documents, ViewQuery query) {
        database.view(query).rows().forEach(row -> documents.put(String.valueOf(row.id()), row));
    }

    private static boolean isSorted(List<String> ids) {
        for (int i = 1; i < ids.size(); i++) {
            if (ids.get(i - 1).compareTo(ids.get(i)) >= 0) {
                return false;
            }
        }
        return ids.size() > 1;
    }

    private boolean isDense(List<String> ids) {
        List<ViewResult.Row> between = database.view(range(ids)).rows();
        return !between.isEmpty()
                && ids.get(ids.size() - 1)
                        .equals(between.get(between.size() - 1).id());
    }

    private static ViewQuery range(List<String> ids) {
        return ViewQuery.allDocs()
                .startKey(ids.get(0))
                .endKey(ids.get(ids.size() - 1))
                .limit(ids.size() + ids.size() / DENSE);
    }
}
