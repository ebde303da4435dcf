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
 * Finds out the fate of writes that no quorum of a cluster confirmed. Thread-safe.
 *
 * <p>A new job may have met another write of the same document, and lose: its conflict is resolved, and it counts when it
 * is in place then. A change of a job needs more. Reading does not tell: a node that is cut off answers with the only copy
 * that it has. So the job is written once more, as it is. When a quorum confirms that, a majority of the copies has the
 * change, and the revision before it cannot be claimed any more. A claim made just before shows when all leaves of a
 * majority of the copies are read afterwards.
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
     * Whether a change by a creator that a quorum confirmed stands. The node that showed the job may have been cut off,
     * and have had another leaf than the others. Costs three requests, on a cluster only.
     *
     * @throws UnconfirmedException when no majority of the copies is in reach any more
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
     * Finds those of many changes that {@linkplain #stands stand}, by one reading for some hundred of them.
     *
     * @return the jobs whose changes stand; empty when no majority of the copies is in reach any more
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
     * Looks for a new job after its conflicts were resolved.
     *
     * @return {@code Accepted} when readers see it, or a later change of it; {@code Conflict} when they see another one; empty when the
     *     node that answered has none
     */
    public Optional<WriteResult> found(Job written) {
        settle(written.id());
        return writer.lostAnswers().lookUp(List.of(written.toDocument())).get(0);
    }

    /**
     * Waits for the confirmation of a change, for a few seconds at most.
     *
     * @param rev the revision that the change made
     * @return the job as it is now; empty when others wrote at the same time and have won, or when the copies that are in reach now
     *     have not heard of the change
     * @throws UnconfirmedException when no quorum confirms it
     * @throws WriteRefusedException when the database refuses to store the job as it is
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
     * Confirms that a job is as it was found, when nothing is to be written. An earlier try may have written it without a confirmation, and
     * a node that is cut off shows what the others have changed since.
     *
     * @return the same job; empty when this must be tried again
     * @throws UnconfirmedException when no majority of the copies is in reach
     */
    public Optional<Job> ofFound(Job present) {
        if (!writer.copies().areSeveral() || majority(present.id(), () -> isShown(present))) {
            return Optional.of(present);
        }
        settle(present.id());
        return Optional.empty();
    }

    /**
     * Whether a job is still as it was found. While its leaves are to be resolved, that holds only if the job has not ended, its
     * leaf is still there and no other leaf counts more. If the job is to be cancelled, its leaf must also be the one that readers
     * are shown, because two copies have that leaf. If only one copy had it, the request to cancel would be lost with that copy.
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
     * The state of a job that a majority of the copies has. A node may lose the others for a moment, so this waits for them, for a
     * few seconds at most.
     *
     * @throws UnconfirmedException when no majority of the copies is in reach
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

    /** Lets a conflict be resolved, if there is one, and waits for that for a few seconds at most. */
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
     * Whether the copies that answer have that leaf of a job, no other live one, and no tombstone that counts more. The copy
     * that answers for the document as readers see it may not know of a conflict that another copy has.
     */
    private boolean isOnlyLeaf(JobId id, String rev) {
        List<ObjectNode> leaves = database.leavesWithHistories(id.docId());
        long live = leaves.stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .count();
        return live == 1 && Resolution.best(leaves).flatMap(Job::rev).equals(Optional.of(rev));
    }

    /** The node that answers may be another one than the one that took the change. */
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
