package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.job.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Determines the results of writes whose answers were lost. Thread-safe.
 *
 * <p>A write that is in place was stored. A write that is not in place may have been stored and overwritten since: for
 * example, a worker claimed the new job, or ran it and it was removed. So this class also searches the ancestors of the
 * document. Otherwise the job would be added or removed a second time. A revision that was compacted away meanwhile counts as
 * not stored.
 */
final class LostAnswers {
    private static final int MOST_REVISIONS = 20;

    private final CouchDatabase database;
    private final Copies copies;

    LostAnswers(CouchDatabase database, Copies copies) {
        this.database = database;
        this.copies = copies;
    }

    /**
     * Looks up each document in the state in which it was written.
     *
     * @return the results in the same order: {@code Stored} (on a cluster {@code Accepted}), {@code Conflict}, or empty when
     *     the write did not arrive
     */
    List<Optional<WriteResult>> lookUp(List<ObjectNode> written) {
        boolean several = copies.areSeveral();
        Stream<String> ids = written.stream().map(LostAnswers::id);
        // Only reads of single documents ask several copies.
        List<Optional<ObjectNode>> found = several ? ids.map(database::get).toList() : database.getAll(ids.toList());
        List<Optional<WriteResult>> results = new ArrayList<>();
        for (int i = 0; i < written.size(); i++) {
            Optional<WriteResult> result = judge(written.get(i), found.get(i));
            results.add(several ? result.map(LostAnswers::unproven) : result);
        }
        return results;
    }

    private static WriteResult unproven(WriteResult found) {
        return found instanceof WriteResult.Stored stored ? new WriteResult.Accepted(stored.id(), stored.rev()) : found;
    }

    private Optional<WriteResult> judge(ObjectNode written, Optional<ObjectNode> found) {
        String id = id(written);
        String base = rev(written);
        String leaf = found.map(LostAnswers::rev).orElseGet(() -> tombstone(id));
        if (leaf.equals(base)) {
            return Optional.empty();
        }
        if (found.filter(document -> Job.sayTheSame(document, written)).isPresent()) {
            return Optional.of(new WriteResult.Stored(id, leaf));
        }
        Optional<WriteResult> stored = ancestor(written, base, leaf).map(rev -> new WriteResult.Stored(id, rev));
        boolean canStillBeCreated = base.isEmpty() && found.isEmpty();
        return stored.isPresent() || canStillBeCreated ? stored : Optional.of(new WriteResult.Conflict(id));
    }

    /** Returns the revision of a deleted document; empty when the document never existed. */
    private String tombstone(String id) {
        return database.view(ViewQuery.allDocs().keys(List.of(id)))
                .rows()
                .get(0)
                .value()
                .path("rev")
                .asText();
    }

    /** Returns the revision that the write created. Only revisions after its base are searched. */
    private Optional<String> ancestor(ObjectNode written, String base, String leaf) {
        List<String> history = leaf.isEmpty() ? List.of() : database.history(id(written), leaf);
        int end = base.isEmpty() ? history.size() : history.indexOf(base);
        int begin = base.isEmpty() ? 0 : Math.max(0, end - 1);
        return history.subList(begin, Math.max(begin, Math.min(end, begin + MOST_REVISIONS))).stream()
                .filter(rev -> database.get(id(written), rev)
                        .filter(then -> Job.sayTheSame(then, written))
                        .isPresent())
                .findFirst();
    }

    private static String rev(ObjectNode document) {
        return document.path("_rev").asText();
    }

    private static String id(ObjectNode document) {
        return document.path("_id").asText();
    }
}
