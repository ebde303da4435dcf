package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.EndAs;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Determines the outcome of writes that no quorum of a cluster confirmed. Thread-safe.
 *
 * <p>A new job may conflict with another write of the same document. The conflict is resolved, and the job counts if it is in
 * place afterwards. A change of an existing job needs more. A read is not sufficient, because a node that is cut off answers
 * with its only copy. So the job is written once more without a change. When a quorum confirms that write, a majority of the
 * copies has the change, and the revision before the change cannot be claimed any more. A claim that was made just before is
 * found by reading all leaves of a majority of the copies afterwards.
 */
public final class Confirmation {
    private static final int MOST_LOOKS = 8;
    private static final int MOST_ATTEMPTS = 6;
    private static final int MOST_READ = 500;

    private final JobWriter writer;
    private final CouchDatabase database;
    private final Conflicts conflicts;

    Confirmation(JobWriter writer, Conflicts conflicts) {
        this.writer = writer;
        this.database = writer.database();
        this.conflicts = conflicts;
    }

    /**
     * Returns whether a creator's change that a quorum confirmed is still valid. The node that showed the job may have been
     * cut off and may have had another leaf than the other nodes. Sends three requests on a cluster, and none otherwise.
     *
     * @throws UnconfirmedException if no majority of the copies is reachable any more
     */
    public boolean stands(Job changed) {
        return !writer.copies().areSeveral()
                || majority(
                        changed.id(),
                        () -> Resolution.stands(
                                changed,
                                database.leavesWithHistories(changed.id().docId())));
    }

    /**
     * Returns which of many changes {@linkplain #stands stand}, with one read for up to 500 changes.
     *
     * @return the jobs whose changes stand; empty when no majority of the copies is reachable any more
     */
    public Optional<Set<JobId>> standing(List<Job> changed) {
        Set<JobId> standing = changed.stream().map(Job::id).collect(Collectors.toSet());
        for (int from = 0; writer.copies().areSeveral() && from < changed.size(); from += MOST_READ) {
            List<Job> some = changed.subList(from, Math.min(from + MOST_READ, changed.size()));
            Optional<List<JobId>> overtaken = overtaken(some);
            if (overtaken.isEmpty()) {
                return Optional.empty();
            }
            overtaken.get().forEach(standing::remove);
        }
        return Optional.of(standing);
    }

    private Optional<List<JobId>> overtaken(List<Job> changed) {
        List<String> docIds = changed.stream().map(job -> job.id().docId()).toList();
        return writer.majority().read(docIds, () -> {
            List<Optional<List<ObjectNode>>> leaves = database.leavesOfAll(docIds);
            return IntStream.range(0, changed.size())
                    .filter(i -> leaves.get(i)
                            .filter(all -> Resolution.stands(changed.get(i), all))
                            .isEmpty())
                    .mapToObj(i -> changed.get(i).id())
                    .toList();
        });
    }

    /**
     * Resolves the conflicts of a new job and looks for it.
     *
     * @return {@code Accepted} when readers see the job or a later change of it; {@code Conflict} when they see another job;
     *     empty when the node that answered has no such job
     */
    public Optional<WriteResult> found(Job written) {
        settle(written.id());
        return writer.lostAnswers().lookUp(List.of(written.toDocument())).get(0);
    }

    /**
     * Confirms a change, within a few seconds at most.
     *
     * @param rev the revision that the change made
     * @return the present job; empty when a concurrent write has won, or when the reachable copies do not have the change
     * @throws UnconfirmedException if no quorum confirms the change
     * @throws WriteRefusedException if the database refuses to store the job
     */
    public Optional<Job> of(JobId id, String rev, InstantSource clock) {
        Backoff backoff = backoff();
        while (backoff.attempts() < MOST_ATTEMPTS) {
            settle(id);
            Optional<Job> present = database.get(id.docId()).map(Job::parse).filter(job -> goesBackTo(rev, job));
            if (present.isEmpty()) {
                return present;
            }
            Job kept = ClusterTransitions.keep(present.get(), clock.instant());
            WriteResult written = WriteRefusedException.check(writer.write(kept));
            if (written instanceof WriteResult.Stored stored && isAllThereIs(id, stored.rev())) {
                return Optional.of(kept.withRev(stored.rev()));
            }
            pause(backoff, id);
        }
        throw new UnconfirmedException(id);
    }

    /**
     * Confirms the state in which a job was found, when nothing is to be written. An earlier attempt may have written the job
     * without a confirmation, and a node that is cut off may show an outdated state.
     *
     * @return the same job; empty when the caller must try again
     * @throws UnconfirmedException if no majority of the copies is reachable
     */
    public Optional<Job> ofFound(Job present) {
        if (!writer.copies().areSeveral() || majority(present.id(), () -> isShown(present))) {
            return Optional.of(present);
        }
        settle(present.id());
        return Optional.empty();
    }

    /**
     * Returns whether a job is still as it was found. If its leaves are in conflict, the job must not have ended, its leaf
     * must exist, and no other leaf may count more. If the job is to be cancelled, its leaf must also be the one that readers
     * see, because two copies have that leaf. If only one copy had the leaf, the request to cancel would be lost with that
     * copy.
     */
    private boolean isShown(Job present) {
        String docId = present.id().docId();
        List<ObjectNode> leaves = ShownLeaves.read(database, List.of(docId)).getOrDefault(docId, List.of());
        return Resolution.settled(leaves)
                .map(leaf -> isRevisionOf(present, leaf))
                .orElseGet(() -> isThere(present, leaves)
                        && present.phase() != JobPhase.FINISHED
                        && Resolution.stands(present, leaves));
    }

    private static boolean isThere(Job present, List<ObjectNode> leaves) {
        boolean isToCancel = present.isCancelRequested() || EndAs.isCancelled(present);
        return isToCancel
                ? present.rev().equals(ShownLeaves.winner(leaves))
                : leaves.stream().anyMatch(leaf -> isRevisionOf(present, leaf));
    }

    private static boolean isRevisionOf(Job job, ObjectNode leaf) {
        return job.rev().equals(Optional.of(leaf.path("_rev").asText()));
    }

    /**
     * Reads the state of a job that a majority of the copies has. A node may lose the other nodes for a moment, so this
     * method waits for a majority, for a few seconds at most.
     *
     * @throws UnconfirmedException if no majority of the copies is reachable
     */
    public <T> T majority(JobId id, Supplier<T> reading) {
        Backoff backoff = backoff();
        Optional<T> read = writer.majority().read(List.of(id.docId()), reading);
        while (read.isEmpty() && backoff.attempts() < MOST_ATTEMPTS && backoff.pauseUnlessInterrupted()) {
            read = writer.majority().read(List.of(id.docId()), reading);
        }
        return read.orElseThrow(() -> new UnconfirmedException(id));
    }

    private Backoff backoff() {
        return new Backoff(writer.environment(), Duration.ofMillis(50), Duration.ofSeconds(1));
    }

    /** Requests the resolution of a conflict, if there is one, and waits for it for a few seconds at most. */
    void settle(JobId id) {
        conflicts.look(id);
        Backoff backoff = new Backoff(writer.environment(), Duration.ofMillis(20), Duration.ofSeconds(1));
        while (backoff.attempts() < MOST_LOOKS && isInConflict(id)) {
            pause(backoff, id);
        }
    }

    private boolean isInConflict(JobId id) {
        return database.getWithConflicts(id.docId())
                .filter(document -> document.has("_conflicts"))
                .isPresent();
    }

    private boolean isAllThereIs(JobId id, String rev) {
        return writer.majority()
                .read(List.of(id.docId()), () -> isOnlyLeaf(id, rev))
                .orElse(false);
    }

    /**
     * Returns whether the copies that answer have this leaf of a job, no other live leaf, and no tombstone that counts more.
     * A read of the document alone is not sufficient: the copy that answers may not know of a conflict that another copy has.
     */
    private boolean isOnlyLeaf(JobId id, String rev) {
        List<ObjectNode> leaves = database.leavesWithHistories(id.docId());
        long live = leaves.stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .count();
        return live == 1 && Resolution.best(leaves).flatMap(Job::rev).equals(Optional.of(rev));
    }

    /** Returns whether a job descends from a revision. The node that answers may not be the one that stored the revision. */
    private boolean goesBackTo(String rev, Job job) {
        String present = job.rev().orElseThrow();
        return present.equals(rev)
                || database.history(job.id().docId(), present).contains(rev);
    }

    private static void pause(Backoff backoff, JobId id) {
        if (!backoff.pauseUnlessInterrupted()) {
            throw new CouchJobsException(
                    "interrupted while changing job " + id + "; it is stored, but no quorum has confirmed that");
        }
    }
}
