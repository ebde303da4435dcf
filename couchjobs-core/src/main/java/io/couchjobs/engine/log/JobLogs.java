package io.couchjobs.engine.log;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Logs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The logs of jobs. A log is written in chunks, read in order while it grows, and deleted with its job. Thread-safe. */
public final class JobLogs implements Logs {
    private static final int PAGE = 50;
    private static final int MOST_AT_ONCE = 500;

    private final JobStore store;
    private final CouchDatabase database;
    private final Feed feed;
    private final Lane lane;

    public JobLogs(JobStore store, Feed feed) {
        this.store = store;
        this.database = store.database();
        this.feed = feed;
        this.lane = store.environment().lane("couchjobs-log-reader", 1);
    }

    /**
     * Writes a chunk with the next bulk request. Writing the same chunk again is answered as a conflict and changes
     * nothing. If the job was removed and added anew, its claims have the same numbers as before. Then the new chunk
     * replaces the older one.
     *
     * @return the server's answer; completed exceptionally when the server cannot be reached
     */
    public CompletableFuture<WriteResult> append(Logs.Chunk chunk) {
        ObjectNode document = LogDocuments.of(chunk);
        return store.writer()
                .writeSoon(document)
                .thenCompose(written -> written instanceof WriteResult.Conflict
                        ? CompletableFuture.supplyAsync(() -> revisionOfOlder(chunk), lane)
                                .thenCompose(rev -> rev.isEmpty()
                                        ? CompletableFuture.completedFuture(written)
                                        : store.writer().writeSoon(document.put("_rev", rev.get())))
                        : CompletableFuture.completedFuture(written));
    }

    /** Returns the revision of an older chunk in the same place; empty when the stored chunk is the same one, or newer. */
    private Optional<String> revisionOfOlder(Logs.Chunk chunk) {
        Instant begin = chunk.lines().get(0).at();
        return database.get(chunk.docId())
                .filter(present -> Logs.Chunk.of(present).stream()
                        .flatMap(stored -> stored.lines().stream())
                        .allMatch(line -> line.at().isBefore(begin)))
                .map(present -> present.path("_rev").asText());
    }

    @Override
    public Stream<Logs.Chunk> read(JobId job) {
        return read(job, null);
    }

    /** Reads the chunks of a log whose document ids come after an id, or all chunks when the id is null. */
    Stream<Logs.Chunk> read(JobId job, @Nullable String after) {
        return pages(job, after)
                .flatMap(row -> row.doc() == null ? Stream.empty() : Logs.Chunk.of(row.doc()).stream())
                .filter(chunk -> chunk.job().equals(job));
    }

    @Override
    public Following follow(JobId job, Consumer<Logs.Chunk> listener) {
        LogFollower follower = new LogFollower(job, this, listener, store.environment());
        follower.start(feed);
        return follower;
    }

    /**
     * Deletes the log chunks of a claim, unless the job exists and its fence is at least as high. After a database was
     * deleted and recreated, chunks that a run of a former job still wrote belong to no job.
     *
     * @param fence the fence of a claim that has lost the job
     */
    public void deleteOrphans(JobId id, long fence) {
        boolean isOrphan = store.read(id).filter(job -> job.fence() >= fence).isEmpty();
        if (isOrphan) {
            String prefix = LogDocuments.prefix(id, fence);
            write(tombstonesOf(id).stream()
                    .filter(tombstone -> tombstone.path("_id").asText().startsWith(prefix))
                    .toList());
        }
    }

    /**
     * Returns the tombstones that delete the present log of a job. Chunks written later, by a run of a job that was added
     * anew, have other revisions and stay.
     *
     * @return the tombstones, to be written by {@link #write}
     */
    public List<ObjectNode> tombstonesOf(JobId job) {
        List<ObjectNode> tombstones = new ArrayList<>();
        String prefix = LogDocuments.prefix(job);
        List<ViewResult.Row> rows = page(prefix, null, false);
        while (!rows.isEmpty()) {
            rows.stream()
                    .filter(row -> Logs.Chunk.jobOf(String.valueOf(row.id())).equals(Optional.of(job)))
                    .forEach(row -> tombstones.add(tombstone(row)));
            rows = rows.size() < PAGE
                    ? List.of()
                    : page(prefix, rows.get(rows.size() - 1).id(), false);
        }
        return tombstones;
    }

    /** Writes tombstones. A tombstone whose revision does not exist any more changes nothing. */
    public void write(List<ObjectNode> tombstones) {
        for (int from = 0; from < tombstones.size(); from += MOST_AT_ONCE) {
            database.bulkDocs(tombstones.subList(from, Math.min(from + MOST_AT_ONCE, tombstones.size())));
        }
    }

    /** {@return the tombstone of a chunk, from its row in a list of all documents} */
    public static ObjectNode tombstone(ViewResult.Row row) {
        return Tombstone.of(String.valueOf(row.id()), row.value().path("rev").asText());
    }

    private Stream<ViewResult.Row> pages(JobId job, @Nullable String after) {
        String prefix = LogDocuments.prefix(job);
        return Stream.iterate(
                        page(prefix, after, true),
                        rows -> !rows.isEmpty(),
                        rows -> page(prefix, rows.get(rows.size() - 1).id(), true))
                .flatMap(List::stream);
    }

    private List<ViewResult.Row> page(String prefix, @Nullable String after, boolean withDocuments) {
        // The rest of an id begins with a digit, and a colon sorts right after the digits.
        List<ViewResult.Row> rows = database.view(ViewQuery.allDocs()
                        .startKey(after == null ? prefix + "0" : after)
                        .endKey(prefix + ":")
                        .includeDocs(withDocuments)
                        .limit(PAGE + 1L))
                .rows();
        return rows.stream()
                .filter(row -> !String.valueOf(row.id()).equals(after))
                .toList();
    }
}
