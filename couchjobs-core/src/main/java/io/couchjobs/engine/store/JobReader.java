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

/** Reads many jobs, a page at a time. Thread-safe. */
public final class JobReader {
    /** How many jobs are read by one request at most. */
    public static final int PAGE = 500;

    private static final Logger log = LoggerFactory.getLogger(JobReader.class);

    private final CouchDatabase database;

    public JobReader(CouchDatabase database) {
        this.database = database;
    }

    /** Where a document stands: its revision, empty when there never was one, and whether it is gone. */
    public record Standing(String rev, boolean gone) {}

    /** By document id, where each document stands now. */
    public Map<String, Standing> standings(List<String> docIds) {
        Map<String, Standing> standings = new HashMap<>();
        for (ViewResult.Row row : ask(docIds, false)) {
            standings.put(row.key().asText(), standing(row));
        }
        return standings;
    }

    /** By document id, the present content of each document; one that is no job, or cannot be read, is left out. */
    public Map<String, Snapshot> snapshots(List<String> docIds) {
        Map<String, Snapshot> snapshots = new HashMap<>();
        for (int from = 0; from < docIds.size(); from += PAGE) {
            read(docIds.subList(from, Math.min(docIds.size(), from + PAGE)), snapshots);
        }
        return snapshots;
    }

    /** A page that is too long, or holds a document that cannot be read, is read in halves. */
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
     * The state of a job when retention deleted it: a follower of the job may have missed how it ended. The revision
     * before the tombstone can be read until the next compaction; then only the tombstone says how the job ended, and
     * its data and result are gone. The same holds when another leaf lost to the deletion and readers see that leaf's tombstone.
     *
     * @return the finished job; empty when it is there, or was removed otherwise
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

    /** The leaf of a loser has another status, or the end of another run. */
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
