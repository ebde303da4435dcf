package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The revisions of jobs that this process stored recently, so that they are not news when the feed reports them. Thread-safe.
 *
 * <p>Pending jobs are not recorded, because a worker of this process may want to claim jobs that the process itself added. An
 * answer may come after the feed's row. The row then counts as a change by another process, which costs at most one
 * unnecessary check. Callers can wait for the outstanding answers by {@code underWay}.
 */
public final class OwnWrites {
    private static final int MOST = 5_000;

    private final Map<String, CompletableFuture<Void>> underWay = new HashMap<>();
    private final Map<String, Own> revs = RecentMap.byAge(MOST);

    /** A revision that a quorum stored, and whether it counts regardless of other leaves. */
    private record Own(String rev, boolean isSure) {}

    /**
     * Records the result of a write when it is known.
     *
     * @param isSure returns whether the revision counts after its confirmation; called when the answer comes
     */
    void note(ObjectNode document, CompletableFuture<WriteResult> write, BooleanSupplier isSure) {
        if (isSettled(document)) {
            begun(document.path("_id").asText(), write.handle((result, trouble) -> {
                ended(result, isSure.getAsBoolean());
                return null;
            }));
        }
    }

    private void begun(String docId, CompletableFuture<Void> write) {
        CompletableFuture<Void> all;
        synchronized (this) {
            all = underWay.merge(docId, write, CompletableFuture::allOf);
        }
        var unused = all.thenRun(() -> remove(docId, all));
    }

    private synchronized void remove(String docId, CompletableFuture<Void> answered) {
        underWay.remove(docId, answered);
    }

    /** Returns a future that completes when all present writes of a document are answered; empty when there are none. */
    synchronized Optional<CompletableFuture<Void>> underWay(String docId) {
        return Optional.ofNullable(underWay.get(docId));
    }

    /** Returns whether this process is known to have written this revision recently. */
    public boolean contain(String docId, String rev) {
        return own(docId, rev).isPresent();
    }

    /**
     * Returns whether this process wrote this revision recently as the only owner of its job. Another leaf may count more
     * than any other confirmed write: a write that was first answered by 202, a write after the end of the lease, or a write
     * by a non-owner.
     */
    boolean areSure(String docId, String rev) {
        return own(docId, rev).filter(Own::isSure).isPresent();
    }

    private synchronized Optional<Own> own(String docId, String rev) {
        return Optional.ofNullable(revs.get(docId)).filter(own -> own.rev.equals(rev));
    }

    private synchronized void ended(@Nullable WriteResult result, boolean isSure) {
        if (result instanceof WriteResult.Stored stored) {
            revs.remove(stored.id());
            revs.put(stored.id(), new Own(stored.rev(), isSure));
        }
    }

    private static boolean isSettled(ObjectNode document) {
        boolean isPending = JobStatus.fromJson(document.path("status").asText())
                .map(status -> status.phase() == JobPhase.PENDING)
                .orElse(true);
        return document.path("_id").asText().startsWith(DocIds.JOB)
                && (document.path("_deleted").asBoolean() || !isPending);
    }
}
