package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.JobState;
import io.couchjobs.job.JobStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The revisions of jobs that this process stored a moment ago: they are no news when the feed reports them.
 * Thread-safe.
 *
 * <p>Pending jobs are left out: a worker of this process wants to claim jobs that the process itself added. An answer
 * may come after the feed's row; then the row counts as another process's, which costs a look at worst. A caller that
 * wants to wait can ask whether an answer is awaited, and is told when it comes.
 */
public final class OwnWrites {
    private static final int MOST = 5_000;

    private final Consumer<String> stored;
    private final Map<String, Integer> underWay = new HashMap<>();
    private final Map<String, String> revs = RecentMap.byAge(MOST);

    public OwnWrites() {
        this(docId -> {});
    }

    /**
     * Starts empty.
     *
     * @param stored receives the id of each document whose write was answered or failed
     */
    public OwnWrites(Consumer<String> stored) {
        this.stored = stored;
    }

    /** Notes the result of a write. */
    void note(ObjectNode document, CompletableFuture<WriteResult> write) {
        if (isSettled(document)) {
            String docId = document.path("_id").asText();
            begun(docId);
            var unused = write.whenComplete((result, trouble) -> {
                ended(docId, result);
                stored.accept(docId);
            });
        }
    }

    /** Whether the answer to a write of that document is awaited. */
    synchronized boolean areUnderWay(String docId) {
        return underWay.containsKey(docId);
    }

    /** Whether this process wrote that very revision lately, as far as it knows yet. */
    public synchronized boolean contain(String docId, String rev) {
        return rev.equals(revs.get(docId));
    }

    private synchronized void begun(String docId) {
        underWay.merge(docId, 1, Integer::sum);
    }

    private synchronized void ended(String docId, @Nullable WriteResult result) {
        underWay.computeIfPresent(docId, (id, writes) -> writes == 1 ? null : writes - 1);
        if (result instanceof WriteResult.Stored stored) {
            revs.remove(stored.id());
            revs.put(stored.id(), stored.rev());
        }
    }

    private static boolean isSettled(ObjectNode document) {
        boolean isPending = JobStatus.fromJson(document.path("status").asText())
                .map(status -> status.state() == JobState.PENDING)
                .orElse(true);
        return document.path("_id").asText().startsWith(DocIds.JOB)
                && (document.path("_deleted").asBoolean() || !isPending);
    }
}
