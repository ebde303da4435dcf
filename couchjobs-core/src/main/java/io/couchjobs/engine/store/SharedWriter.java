package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.document.JsonNumbers;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.UnconfirmedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Changes documents that many processes change, on servers that may keep several copies of them. A write counts as done only
 * if a majority of the copies confirmed it (201) and no other writer took back the revision on which it is based.
 * Thread-safe.
 *
 * <p>A write that is stored without a confirmation (202) must be settled first. If its leaf is the only one, the same content
 * is written once more, marked as not counting. When that write is confirmed and the leaf is still the only one, the change
 * is done. Otherwise the writer takes its leaf back: it writes the former content on the leaf, so that no copy ever lacks the
 * document. A leaf that was taken back, or has a lower rank than another leaf, is deleted after a confirmed write on the
 * winning leaf.
 *
 * <p>If two leaves were not taken back, this class waits for a moment, because the writer of one may be about to take it
 * back.
 */
public final class SharedWriter {
    private static final int MOST_ATTEMPTS = 20;
    private static final int MOST_CONFIRMATIONS = 4;
    private static final int MOST_WITHDRAWALS = 12;
    private static final int MOST_DOUBTED = 1_000;
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final Kind kind;
    private final SharedLeaves leaves;
    private final Environment environment;
    private final Map<String, Doubt> doubted = new ConcurrentHashMap<>();

    public SharedWriter(CouchDatabase database) {
        this(database, Kind.PLAIN);
    }

    public SharedWriter(CouchDatabase database, Kind kind) {
        this.kind = kind;
        this.leaves = new SharedLeaves(database, kind);
        this.environment = ServerAccess.environment(database.server());
    }

    /** The rules for changing documents of one kind. */
    public interface Kind {
        /** Documents whose later leaf is the one with the greater rank. */
        Kind PLAIN = new Kind() {};

        /** Returns the order of leaves; the later leaf is the greater. */
        default Comparator<SharedLeaf> later() {
            return SharedLeaf.LATER;
        }

        /**
         * Returns whether the best leaf is known to be the latest. If false, this call has obtained the missing knowledge,
         * and the leaves must be ordered again.
         */
        default boolean isKnown(ObjectNode present) {
            return true;
        }

        /** Returns whether even an unchanged document is written, so that a majority confirms it. */
        default boolean confirmsAlways() {
            return false;
        }

        /** Returns the exception for the case that other writers were always first. */
        default CouchJobsException contended(String docId, int attempts) {
            return new CouchJobsException(docId + " was changed by others between reading and writing it, " + attempts
                    + " times in a row; nothing was written, try again");
        }
    }

    /**
     * Changes a document.
     *
     * @param change returns the new document for the present one, which has its {@code _rev}, or only an {@code _id} if it
     *     does not exist
     * @throws UnconfirmedException if no majority of the copies confirms the change; the change is taken back as far as
     *     possible
     */
    public ObjectNode change(String docId, UnaryOperator<ObjectNode> change) {
        return tidying(docId, left -> change(docId, change, left));
    }

    private ObjectNode change(String docId, UnaryOperator<ObjectNode> change, List<String> left) {
        Backoff backoff = backoff();
        Backoff doubt = backoff();
        boolean tried = false;
        long began = environment.nanos();
        while (backoff.attempts() < MOST_ATTEMPTS) {
            SharedView view = view(docId);
            if (!kind.isKnown(view.present())) {
                continue;
            }
            if (view.isDoubtful() && environment.nanos() - began < GRACE.toNanos()) {
                SharedLeaves.pause(doubt, docId);
                continue;
            }
            ObjectNode present = view.present();
            ObjectNode wanted = change.apply(present.deepCopy());
            boolean isDoubted = kind.confirmsAlways() || (tried && view.severalCopies());
            if (present.equals(JsonNumbers::compare, wanted) && !isDoubted) {
                return wanted;
            }
            tried = true;
            Optional<String> done = write(view, view.next(wanted), left);
            if (done.isPresent()) {
                return wanted.put("_rev", done.get());
            }
            SharedLeaves.pause(backoff, docId);
        }
        throw kind.contended(docId, backoff.attempts());
    }

    private Backoff backoff() {
        return new Backoff(environment, Duration.ofMillis(5), Duration.ofMillis(500));
    }

    /** Writes once. Returns the revision if the write is done, or empty if it has no lasting effect. */
    public Optional<String> write(SharedView view, ObjectNode wanted) {
        return tidying(view.docId(), left -> write(view, view.next(wanted), left));
    }

    private Optional<String> write(SharedView view, ObjectNode next, List<String> left) {
        WriteResult written = leaves.put(view.severalCopies() ? unique(next) : next);
        if (written instanceof WriteResult.Accepted accepted) {
            return settle(view, accepted.rev(), next, left);
        }
        return written instanceof WriteResult.Stored stored && stands(view, stored.rev(), next, left)
                ? Optional.of(stored.rev())
                : Optional.empty();
    }

    /**
     * Returns whether a confirmed write stands: no other leaf contests its base. If one does, the other writer may be right,
     * so this change is taken back and the caller must make it again.
     */
    private boolean stands(SharedView before, String rev, ObjectNode next, List<String> left) {
        if (!before.severalCopies()) {
            return true;
        }
        SharedView after = view(before.docId());
        boolean contested = after.leaves().stream()
                .filter(leaf -> !leaf.descendsFrom(rev))
                .filter(leaf -> !before.knows(leaf))
                .filter(leaf -> !leaf.isWithdrawn())
                .anyMatch(leaf -> !leaf.isChildOf(before.baseRev()));
        if (contested) {
            takeBack(before, rev, next, left);
            return false;
        }
        Set<String> losers = new HashSet<>(left);
        before.leaves().stream()
                .filter(leaf -> !leaf.rev().equals(before.baseRev()) && !leaf.isDeleted())
                .forEach(leaf -> losers.add(leaf.rev()));
        losers.remove(before.baseRev());
        losers.forEach(loser -> leaves.delete(before.docId(), loser, rev));
        left.clear();
        return true;
    }

    /** Obtains the confirmation of a write that some copy has stored, or takes the write back. */
    private Optional<String> settle(SharedView before, String rev, ObjectNode next, List<String> left) {
        Backoff backoff = leaves.backoff();
        String own = rev;
        while (backoff.attempts() < MOST_CONFIRMATIONS) {
            SharedView now = view(before.docId());
            Optional<SharedLeaf> mine = now.descendantOf(own);
            boolean isAlone = now.leaves().stream()
                    .filter(leaf -> !before.knows(leaf) && !leaf.isWithdrawn())
                    .allMatch(leaf -> mine.filter(leaf::equals).isPresent());
            if (mine.isEmpty() || !isAlone) {
                takeBack(before, own, next, left);
                return Optional.empty();
            }
            WriteResult kept =
                    leaves.put(mine.get().isDeleted() ? next : unique(mine.get().kept()));
            if (kept instanceof WriteResult.Stored stored && stands(before, stored.rev(), next, left)) {
                return Optional.of(stored.rev());
            }
            own = kept instanceof WriteResult.Accepted accepted ? accepted.rev() : own;
            SharedLeaves.pause(backoff, before.docId());
        }
        takeBack(before, own, next, left);
        throw new UnconfirmedException(before.docId());
    }

    /**
     * Writes the former content on a leaf of this process, until at least one copy has stored it; replication spreads it from
     * there. Stops if another writer has already changed the leaf.
     */
    private void takeBack(SharedView before, String own, ObjectNode next, List<String> left) {
        Backoff backoff = leaves.backoff();
        for (boolean first = true; backoff.attempts() < MOST_WITHDRAWALS; first = false) {
            Optional<SharedLeaf> mine =
                    first ? Optional.empty() : view(before.docId()).descendantOf(own);
            boolean isElsewhere = mine.filter(
                            leaf -> !leaf.rev().equals(own) && (leaf.isWithdrawn() || !leaf.saysTheSameAs(next)))
                    .isPresent();
            if (isElsewhere) {
                return;
            }
            String target = mine.map(SharedLeaf::rev).orElse(own);
            Optional<String> stored = leaves.store(before.instead(target));
            if (stored.isPresent()) {
                left.add(stored.get());
                return;
            }
            SharedLeaves.pause(backoff, before.docId());
        }
        throw new UnconfirmedException(before.docId());
    }

    /** Deletes the leaves that this writer took back, so that readers do not see them instead of the confirmed leaf. */
    private void tidy(String docId, List<String> left) {
        if (left.isEmpty()) {
            return;
        }
        SharedLeaf best = view(docId).best().orElse(null);
        if (best == null || left.stream().anyMatch(best::descendsFrom)) {
            return;
        }
        WriteResult kept = best.isDeleted() ? new WriteResult.Stored(docId, best.rev()) : leaves.put(best.kept());
        if (kept instanceof WriteResult.Stored stored) {
            left.forEach(mine -> leaves.delete(docId, mine, stored.rev()));
        }
    }

    /** Writes, and then deletes the leaves that had to be taken back meanwhile. */
    private <T> T tidying(String docId, Function<List<String>, T> writing) {
        List<String> left = new ArrayList<>();
        try {
            T done = writing.apply(left);
            tidy(docId, left);
            return done;
        } catch (RuntimeException trouble) {
            try {
                tidy(docId, left);
            } catch (RuntimeException another) {
                trouble.addSuppressed(another);
            }
            throw trouble;
        }
    }

    /** Resolves the conflicts of a document, so that one leaf remains. */
    public ConflictOutcome resolve(String docId) {
        SharedView view = leaves.conflicted(docId);
        if (view.leaves().size() < 2) {
            doubted.remove(docId);
            return ConflictOutcome.SETTLED;
        }
        if (view.severalCopies() && view.isDoubtful() && !hasBeenSoForLong(view)) {
            return ConflictOutcome.OPEN;
        }
        SharedLeaf best = view.leaves().get(0);
        boolean done;
        if (view.severalCopies() && !best.isDeleted()) {
            ObjectNode kept = best.kept(); // all resolvers write the same revision, and none takes it back
            done = leaves.put(kept) instanceof WriteResult.Stored stored
                    && stands(view, stored.rev(), kept, new ArrayList<>());
        } else {
            done = view.leaves().stream()
                    .skip(1)
                    .filter(leaf -> !leaf.isDeleted())
                    .allMatch(loser -> leaves.store(loser.lost(best.rev())).isPresent());
        }
        return done ? ConflictOutcome.RESOLVED : ConflictOutcome.OPEN;
    }

    private boolean hasBeenSoForLong(SharedView view) {
        Doubt now = new Doubt(view.revs(), environment.nanos());
        if (doubted.size() >= MOST_DOUBTED) {
            doubted.clear();
        }
        Doubt first = doubted.merge(view.docId(), now, (old, fresh) -> old.revs.equals(fresh.revs) ? old : fresh);
        return now.nanos - first.nanos >= GRACE.toNanos();
    }

    private record Doubt(Set<String> revs, long nanos) {}

    private ObjectNode unique(ObjectNode next) {
        return SharedLeaf.unique(next, environment.uuid());
    }

    public Optional<ObjectNode> read(String docId) {
        return leaves.read(docId);
    }

    public SharedView view(String docId) {
        return leaves.view(docId);
    }
}
