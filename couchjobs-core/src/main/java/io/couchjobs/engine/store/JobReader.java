package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads many jobs, in pages. Thread-safe. */
public final class JobReader {
    /** The maximum number of jobs per request. */
    public static final int PAGE = 500;

    private static final Logger log = LoggerFactory.getLogger(JobReader.class);

    private final CouchDatabase database;

    public JobReader(CouchDatabase database) {
        this.database = database;
    }

    /** The revision of a document, empty when the document never existed, and whether it is gone. */
    public record Standing(String rev, boolean gone) {}

    /** Returns the present standing of each document, by document id. */
    public Map<String, Standing> standings(List<String> docIds) {
        Map<String, Standing> standings = new HashMap<>();
        for (ViewResult.Row row : ask(docIds, false)) {
            standings.put(row.key().asText(), standing(row));
        }
        return standings;
    }

    /** Returns the present content of each document, by document id. Omits documents that are not jobs or cannot be read. */
    public Map<String, Snapshot> snapshots(List<String> docIds) {
        Map<String, Snapshot> snapshots = new HashMap<>();
        for (int from = 0; from < docIds.size(); from += PAGE) {
            read(docIds.subList(from, Math.min(docIds.size(), from + PAGE)), snapshots);
        }
        return snapshots;
    }

    /** Reads a page. If the page is too large, or contains an unreadable document, it is read in halves. */
    private void read(List<String> docIds, Map<String, Snapshot> into) {
        try {
            ask(docIds, true).forEach(row -> snapshot(row)
                    .ifPresent(found -> into.put(row.key().asText(), found)));
        } catch (CouchException e) {
            if (e.status() / 100 != 2) {
                throw e;
            }
            if (docIds.size() == 1) {
                log.debug("{} cannot be read", docIds.get(0), e);
                return;
            }
            read(docIds.subList(0, docIds.size() / 2), into);
            read(docIds.subList(docIds.size() / 2, docIds.size()), into);
        }
    }

    /**
     * Returns the final state of a job that retention deleted, for a follower of the job that missed the end. The revision
     * before the tombstone can be read until the next compaction. After that only the tombstone says how the job ended, and
     * its data and result are gone. The same is true when another leaf lost to the deletion and readers see that leaf's
     * tombstone.
     *
     * @return the finished job; empty when it still exists, or was removed by something other than retention
     */
    public Optional<Snapshot> lastWords(Snapshot found) {
        String docId = found.id().docId();
        if (found.phase() != JobPhase.NOT_FOUND || found.rev().isEmpty()) {
            return Optional.empty();
        }
        return database.get(docId, found.rev())
                .filter(tombstone -> JobTombstone.retiredStatus(tombstone).isPresent())
                .flatMap(tombstone -> before(docId, found.rev())
                        .filter(before -> isEndOf(before, tombstone))
                        .or(() -> inShort(tombstone)))
                .filter(Snapshot::isEnd);
    }

    /** Returns whether a revision is the end that the tombstone names. The leaf of a loser has another status or fence. */
    private static boolean isEndOf(Snapshot before, ObjectNode tombstone) {
        JsonNode fence = tombstone.path(Field.FENCE);
        return before.job()
                .filter(job -> JobTombstone.retiredStatus(tombstone).equals(Optional.of(job.status())))
                .filter(job -> fence.isMissingNode() || fence.asLong() == job.fence())
                .isPresent();
    }

    private Optional<Snapshot> before(String docId, String rev) {
        return database.history(docId, rev).stream()
                .skip(1)
                .findFirst()
                .flatMap(before -> database.get(docId, before))
                .flatMap(Snapshot::of);
    }

    private static Optional<Snapshot> inShort(ObjectNode tombstone) {
        ObjectNode job = tombstone.deepCopy();
        job.remove("_deleted");
        job.putObject("data");
        return Snapshot.of(job);
    }

    private List<ViewResult.Row> ask(List<String> docIds, boolean includeDocs) {
        return database.view(ViewQuery.allDocs().keys(docIds).includeDocs(includeDocs))
                .documentRows();
    }

    private static Standing standing(ViewResult.Row row) {
        JsonNode value = row.value();
        return new Standing(
                value.path("rev").asText(),
                row.error().isPresent() || value.path("deleted").asBoolean());
    }

    private static Optional<Snapshot> snapshot(ViewResult.Row row) {
        Standing standing = standing(row);
        if (standing.gone()) {
            return JobId.fromDocId(row.key().asText()).map(id -> Snapshot.gone(id, standing.rev()));
        }
        return Optional.ofNullable(row.doc()).flatMap(Snapshot::of);
    }
}
