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
 * Changes documents that many processes change, on servers that may keep several copies of them. A write counts as done
 * only when a majority of the copies confirmed it (201), and when its base was not taken back by another writer.
 * Thread-safe.
 *
 * <p>A write that is stored without a confirmation (202) is not built upon. While its leaf stands alone, the same
 * content is written once more, marked as not counting. When that is confirmed and the leaf still stands alone, the
 * change is done. Otherwise the writer takes its leaf back: it writes the former content on it, so that no copy ever
 * lacks the document. A leaf that was taken back, or has a lower rank than others, is deleted after a confirmed write
 * on the one that beats it.
 *
 * <p>Two leaves that were not taken back are left alone for a moment, because the writer of one may be taking it back
 * at the moment.
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

    /** How documents of a kind are changed. */
    public interface Kind {
        /** Documents whose later change is the one of the greater rank. */
        Kind PLAIN = new Kind() {};

        /** Which of two leaves came later. */
        default Comparator<SharedLeaf> later() {
            return SharedLeaf.LATER;
        }

        /**
         * Whether the best leaf is known to be the later one. When false, the call found that out, and the leaves must
         * be ordered again.
         */
        default boolean isKnown(ObjectNode present) {
            return true;
        }

        /** Whether even an unchanged document is written, so that a majority confirms it. */
        default boolean confirmsAlways() {
            return false;
        }

        /** The exception for the case that other writers were always faster. */
        default CouchJobsException contended(String docId, int attempts) {
            return new CouchJobsException(docId + " was changed by others between reading and writing it, " + attempts
                    + " times in a row; nothing was written, try again");
        }
    }

    /**
     * Changes a document.
     *
     * @param change from the present document, with its {@code _rev} (with only an {@code _id} when there is none), to
     *     the new one
     * @throws UnconfirmedException when no majority of the copies confirms it; it is taken back as far as can be
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

    /** Writes once; returns the revision when the write is done, or empty when no effect of it is left. */
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
     * A confirmed write stands, unless another leaf contests its base. Then the other writer may be right, and this
     * change is taken back and made again.
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

    /** Has a write confirmed that is stored somewhere, or takes it back. */
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
     * Writes the former content on a leaf of this process, until any copy has stored it; from there it spreads. A
     * writer that built on the leaf goes on from there.
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

    /** Deletes the leaves that a writer took back, so that readers do not see them in place of the confirmed one. */
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

    /** Writes, and deletes what is left of what had to be taken back meanwhile. */
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

    /** Brings a document back to one leaf. */
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
            ObjectNode kept = best.kept(); // the same revision for all who resolve: nobody takes it back
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
