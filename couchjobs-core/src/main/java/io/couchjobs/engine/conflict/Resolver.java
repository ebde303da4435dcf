package io.couchjobs.engine.conflict;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.engine.store.ConflictOutcome;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.engine.store.JobWriter;
import io.couchjobs.engine.store.SharedWriter;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Lock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings documents with several leaves back to one, as {@link Resolution} decides. It reads all leaves and writes the
 * winner. When a majority has confirmed the winner, it reads again, and then writes the tombstones of the other leaves.
 * After a refused write it reads again. Thread-safe; any number of processes may resolve the same job at the same time.
 */
final class Resolver {
    private static final Logger log = LoggerFactory.getLogger(Resolver.class);
    private static final int MOST_ROUNDS = 8;

    private final JobWriter writer;
    private final ServerClock clock;
    private final AbandonedClaims abandoned;
    private final SharedWriter shared;
    private final LongAdder resolved = new LongAdder();
    private final LongAdder undecided = new LongAdder();

    Resolver(JobWriter writer, ServerClock clock, AbandonedClaims abandoned) {
        this.writer = writer;
        this.clock = clock;
        this.abandoned = abandoned;
        this.shared = new SharedWriter(writer.database());
    }

    long resolved() {
        return resolved.sum();
    }

    long undecided() {
        return undecided.sum();
    }

    /** Resolves the conflict of a document, which may be a job or another document. */
    ConflictOutcome resolve(String docId) {
        ConflictOutcome outcome = JobId.fromDocId(docId).isPresent() ? resolveJob(docId) : resolveOther(docId);
        if (outcome == ConflictOutcome.RESOLVED) {
            resolved.increment();
        } else if (outcome == ConflictOutcome.UNDECIDED) {
            undecided.increment();
        }
        return outcome;
    }

    /**
     * Resolves a conflict that one copy shows. When the leaves show no conflict, that copy stored a leaf before its ancestor,
     * and takes both for leaves. Then the histories of the leaves are written, which corrects the copy. Leaves with attachments
     * are left out, because they cannot have been stored before their ancestors.
     */
    ConflictOutcome resolveShown(String docId) {
        ConflictOutcome outcome = resolve(docId);
        if (outcome == ConflictOutcome.SETTLED) {
            tellHistories(leaves(docId));
        }
        return outcome;
    }

    /**
     * Does the same for a revision that one copy shows although all leaves are tombstones. That copy takes an ancestor for a
     * leaf, too, so its readers see the ancestor.
     */
    ConflictOutcome resolveGone(String docId, String rev) {
        ConflictOutcome outcome = resolve(docId);
        if (outcome == ConflictOutcome.SETTLED) {
            List<ObjectNode> leaves = leaves(docId);
            boolean isGone = leaves.stream()
                    .allMatch(leaf -> leaf.path("_deleted").asBoolean()
                            && !leaf.path("_rev").asText().equals(rev));
            if (isGone) {
                tellHistories(leaves);
            }
        }
        return outcome;
    }

    private void tellHistories(List<ObjectNode> leaves) {
        writer.database()
                .bulkRevisions(leaves.stream()
                        .filter(leaf -> !leaf.has("_attachments"))
                        .toList());
    }

    private ConflictOutcome resolveJob(String docId) {
        Optional<String> confirmed = Optional.empty();
        boolean changed = false;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Optional<List<ObjectNode>> read = confirmed.isEmpty() ? Optional.of(leaves(docId)) : majorityLeaves(docId);
            if (read.isEmpty()) {
                return ConflictOutcome.OPEN;
            }
            List<ObjectNode> leaves = read.get();
            if (!isOurs(leaves)) {
                return ConflictOutcome.SETTLED;
            }
            Resolution resolution = Resolution.of(leaves, confirmed, clock.instant());
            confirmed = Optional.empty();
            switch (resolution.verdict()) {
                case SETTLED -> {
                    return changed ? ConflictOutcome.RESOLVED : ConflictOutcome.SETTLED;
                }
                case UNDECIDED -> {
                    if (!areWithdrawn(leaves)) {
                        return ConflictOutcome.UNDECIDED;
                    }
                }
                case CONFIRM -> {
                    WriteResult written = writer.write(resolution.winner().orElseThrow());
                    if (isUnconfirmed(written)) {
                        return ConflictOutcome.OPEN;
                    }
                    changed = true;
                    confirmed =
                            written instanceof WriteResult.Stored stored ? Optional.of(stored.rev()) : Optional.empty();
                }
                case DELETE -> {
                    changed = true;
                    if (areWritten(resolution.tombstones())) {
                        log.debug(
                                "{} leaves of {} lost", resolution.tombstones().size(), docId);
                        return ConflictOutcome.RESOLVED;
                    }
                }
            }
        }
        return ConflictOutcome.OPEN;
    }

    private List<ObjectNode> leaves(String docId) {
        return writer.database().leavesWithHistories(docId);
    }

    /**
     * Returns the leaves that a majority has. A node that has just lost contact with the others must not decide which
     * leaves are deleted after a confirmation.
     */
    private Optional<List<ObjectNode>> majorityLeaves(String docId) {
        return writer.majority().read(List.of(docId), () -> leaves(docId));
    }

    private ConflictOutcome resolveOther(String docId) {
        if (!DocIds.isBesideJobs(docId)) {
            return ConflictOutcome.SETTLED;
        }
        return shared.resolve(docId);
    }

    /**
     * Withdraws the claims of dead workers, and claims that a worker of this process has forgotten. Returns false when
     * there are none.
     */
    private boolean areWithdrawn(List<ObjectNode> leaves) {
        boolean some = false;
        for (ObjectNode leaf : leaves) {
            Optional<Job> job = owned(leaf).filter(writer.site()::owns).filter(owned -> abandoned.isNobodys(owned));
            if (job.isPresent()) {
                boolean isWithdrawn = ClusterTransitions.withdrawAfterRun(job.get(), clock.instant())
                        .write()
                        .map(writer::write)
                        .filter(WriteResult.Stored.class::isInstance)
                        .isPresent();
                if (isWithdrawn) {
                    log.info(
                            "the claim of {} by worker {} is withdrawn: the worker is silent, or has forgotten the claim",
                            job.get().id(),
                            job.get().lock().map(Lock::worker).orElse(""));
                }
                some |= isWithdrawn;
            }
        }
        return some;
    }

    /**
     * Returns whether the conflict is resolved at this site. Jobs of other sites are resolved there, and the result
     * comes by replication: this site does not know which of their workers are alive.
     */
    private boolean isOurs(List<ObjectNode> leaves) {
        List<Job> jobs = leaves.stream().flatMap(leaf -> present(leaf).stream()).toList();
        return jobs.isEmpty() || jobs.stream().anyMatch(writer.site()::owns);
    }

    private static Optional<Job> owned(ObjectNode leaf) {
        return present(leaf).filter(job -> job.status().isLocked());
    }

    private static Optional<Job> present(ObjectNode leaf) {
        ObjectNode document = leaf.deepCopy();
        document.remove("_revisions");
        return document.path("_deleted").asBoolean() ? Optional.empty() : JobDocument.job(document);
    }

    private static boolean isUnconfirmed(WriteResult result) {
        return result instanceof WriteResult.Accepted || result instanceof WriteResult.Refused;
    }

    /**
     * Writes tombstones. Returns false when one is refused or meets a conflict. A tombstone without a majority still
     * spreads.
     */
    private boolean areWritten(List<ObjectNode> tombstones) {
        List<CompletableFuture<WriteResult>> writes = new ArrayList<>();
        tombstones.forEach(tombstone -> writes.add(writer.writeSoon(tombstone)));
        return writes.stream().map(writer::join).toList().stream()
                .noneMatch(result -> result instanceof WriteResult.Conflict || result instanceof WriteResult.Refused);
    }
}
