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
 * The revisions of jobs that this process stored a moment ago: they are no news when the feed reports them.
 * Thread-safe.
 *
 * <p>Pending jobs are left out: a worker of this process wants to claim jobs that the process itself added. An answer
 * may come after the feed's row; then the row counts as another process's, which costs a look at worst. A caller that
 * wants to wait can ask for the answers that are awaited.
 */
public final class OwnWrites {
    private static final int MOST = 5_000;

    private final Map<String, CompletableFuture<Void>> underWay = new HashMap<>();
    private final Map<String, Own> revs = RecentMap.byAge(MOST);

    /** A revision that a quorum stored, and whether it counts whatever else the copies have of its job. */
    private record Own(String rev, boolean isSure) {}

    /**
     * Notes the result of a write.
     *
     * @param isSure whether its revision counts once it is confirmed; asked when the answer comes
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

    /** Completed when the writes of that document are answered that are under way now; empty when there are none. */
    synchronized Optional<CompletableFuture<Void>> underWay(String docId) {
        return Optional.ofNullable(underWay.get(docId));
    }

    /** Whether this process wrote that very revision lately, as far as it knows yet. */
    public boolean contain(String docId, String rev) {
        return own(docId, rev).isPresent();
    }

    /**
     * Whether this process wrote that very revision lately as the only owner of its job. Any other write may be confirmed although
     * another leaf counts more: a write that was answered 202 at first, one after the lease, or one by anyone but the owner.
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
