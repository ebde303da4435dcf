package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.store.Copies;
import io.couchjobs.engine.store.MajorityProbe;
import io.couchjobs.engine.store.SharedLeaf;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.WriteRefusedException;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Changes documents that belong to the user. Writes on the revision that was read, retries after a conflict, and repeats the write
 * until a majority of the copies has the change. Ignores a document that does not exist. Thread-safe.
 *
 * <p>While no majority is in reach, nothing is written on an unconfirmed write (202), because its branch would beat revisions that
 * the user saves elsewhere. One copy may also store a write that the other copies refuse; its answer is a refusal (409), or is
 * lost. This process remembers such writes until it can read the leaves from a majority. If there is no rival leaf then, the
 * document is written once more. If the user has saved the document meanwhile, the user's leaf is changed first, and then the own
 * leaf is deleted. Two processes may each take the other's write for a user's write. Each then changes the other's leaf before it
 * deletes its own, so at least one leaf stays (perhaps both, as a conflict).
 */
final class UserDocuments {
    private static final int MOST_ATTEMPTS = 12;
    private static final int MOST_UNCONFIRMED = 1_000;

    private final CouchDatabase database;
    private final Environment environment;
    private final Copies copies;
    private final MajorityProbe majority;
    private final Map<String, UnconfirmedWrite> unconfirmed =
            Collections.synchronizedMap(RecentMap.byUse(MOST_UNCONFIRMED));

    UserDocuments(CouchDatabase database, Environment environment) {
        this.database = database;
        this.environment = environment;
        this.copies = new Copies(database);
        this.majority = new MajorityProbe(database, copies);
    }

    /** A change of a document. */
    interface Change extends UnaryOperator<ObjectNode> {
        /** Returns the changed document; an equal document when there is nothing to change. */
        @Override
        ObjectNode apply(ObjectNode document);

        /** Returns the document to write when a changed document needs another write to be confirmed. */
        default ObjectNode again(ObjectNode changed) {
            return changed;
        }

        /** Works as {@link #again}, for a tombstone beside another leaf that the user deleted. */
        default ObjectNode besideDeleted(ObjectNode changed, String deletedRev) {
            return again(changed);
        }
    }

    /**
     * Changes a document.
     *
     * @throws WriteRefusedException when the database's own rules refuse the change
     * @throws CouchJobsException when other writers were faster each time, or no majority is in reach; the caller can retry
     */
    void change(String docId, Change change) {
        Backoff backoff = new Backoff(environment, Duration.ofMillis(5), Duration.ofMillis(500));
        while (backoff.attempts() < MOST_ATTEMPTS) {
            UnconfirmedWrite write = unconfirmed.get(docId);
            boolean isDone = (write == null || !copies.areSeveral())
                    ? isChanged(docId, Optional.empty(), change)
                    : isSettled(docId, write, change);
            if (isDone) {
                return;
            } else if (!backoff.pauseUnlessInterrupted()) {
                throw new CouchJobsException("interrupted while changing document " + docId);
            }
        }
        throw new CouchJobsException(
                "document " + docId + " of " + database.name() + " could not be changed: others were faster each time");
    }

    /** @param before an earlier write that no copy has shown yet */
    private boolean isChanged(String docId, Optional<UnconfirmedWrite> before, Change change) {
        Optional<ObjectNode> present = database.get(docId);
        if (present.isEmpty()) {
            return true;
        }
        ObjectNode next = change.apply(present.get());
        if (next.equals(present.get())) {
            return before.filter(write -> write.is(present.get())).isEmpty();
        }
        WriteResult written = tried(docId, next);
        if (written instanceof WriteResult.Accepted accepted) {
            unconfirmed.put(docId, new UnconfirmedWrite(next, accepted.rev(), false));
        } else if (written instanceof WriteResult.Conflict && copies.areSeveral()) {
            unconfirmed.put(docId, new UnconfirmedWrite(next, "", false));
        }
        return written instanceof WriteResult.Stored;
    }

    /**
     * Settles an earlier write, and returns whether the change is done. The change may be newer than the write. If it is not done,
     * the caller retries.
     */
    private boolean isSettled(String docId, UnconfirmedWrite write, Change change) {
        List<ObjectNode> leaves = majority.read(List.of(docId), () -> leaves(docId))
                .flatMap(read -> read)
                .orElseThrow(() -> new CouchJobsException(
                        "no majority of the copies of document " + docId + " of " + database.name()
                                + " is in reach, or the document could not be read; its change is confirmed later"));
        Optional<ObjectNode> own = leaves.stream().filter(write::is).findFirst();
        if (own.isEmpty()) {
            boolean isChanged = isChanged(docId, Optional.of(write), change);
            if (isChanged) {
                unconfirmed.remove(docId);
            }
            return isChanged;
        }
        Optional<ObjectNode> rival = leaves.stream()
                .filter(leaf -> descends(leaf, write.base()) && !descends(leaf, rev(own.get())))
                .max(Comparator.<ObjectNode, Boolean>comparing(leaf -> !isDeleted(leaf))
                        .thenComparing(UserDocuments::rev, Rev.ORDER));
        if (rival.isPresent()) {
            return isReplaced(docId, own.get(), rival.get(), change);
        } else if (!write.isConfirmed()) {
            writeAgain(docId, write, change.again(read(own.get())));
            return false;
        }
        unconfirmed.remove(docId);
        return isChanged(docId, Optional.empty(), change);
    }

    private Optional<List<ObjectNode>> leaves(String docId) {
        return database.leavesOfAll(List.of(docId), copies.number()).get(0);
    }

    private void writeAgain(String docId, UnconfirmedWrite write, ObjectNode document) {
        WriteResult written = tried(docId, document);
        if (written instanceof WriteResult.Stored stored) {
            unconfirmed.put(docId, new UnconfirmedWrite(write.document(), stored.rev(), true));
        } else if (written instanceof WriteResult.Accepted accepted) {
            unconfirmed.put(docId, new UnconfirmedWrite(write.document(), accepted.rev(), false));
            throw new CouchJobsException("no majority of the copies of document " + docId + " of " + database.name()
                    + " has confirmed its change, twice; that is tried again");
        } else if (written instanceof WriteResult.Conflict && copies.areSeveral()) {
            unconfirmed.put(docId, new UnconfirmedWrite(document, "", false));
        }
    }

    /**
     * Makes the change on the rival leaf, and then deletes the leaf of this process. Returns false when the rival leaf cannot be
     * changed now. A leaf that the user deleted stays deleted.
     */
    private boolean isReplaced(String docId, ObjectNode own, ObjectNode rival, Change change) {
        if (!isDeleted(rival)) {
            ObjectNode present = read(rival);
            ObjectNode next = change.apply(present);
            if (!(put(next.equals(present) ? change.again(present) : next) instanceof WriteResult.Stored)) {
                return false;
            }
        }
        // The tombstone keeps the content, by which the trigger recognizes its own write.
        ObjectNode tombstone = isDeleted(rival) ? change.besideDeleted(read(own), rev(rival)) : change.again(read(own));
        tombstone.put("_deleted", true);
        tombstone.remove("_attachments");
        WriteResult unused = put(tombstone);
        unconfirmed.remove(docId);
        return true;
    }

    /** Writes a document. Remembers the write if its answer is lost, because some copies may have stored it. */
    private WriteResult tried(String docId, ObjectNode document) {
        try {
            return put(document);
        } catch (CouchException trouble) {
            if (trouble.outcomeUnknown() && copies.mayBeSeveral()) {
                unconfirmed.put(docId, new UnconfirmedWrite(document, "", false));
            }
            throw trouble;
        }
    }

    private WriteResult put(ObjectNode document) {
        return WriteRefusedException.check(database.put(document));
    }

    private static ObjectNode read(ObjectNode leaf) {
        ObjectNode document = leaf.deepCopy();
        document.remove("_revisions");
        return document;
    }

    private static boolean descends(ObjectNode leaf, String rev) {
        return SharedLeaf.of(leaf).descendsFrom(rev);
    }

    private static boolean isDeleted(ObjectNode leaf) {
        return leaf.path("_deleted").asBoolean();
    }

    private static String rev(ObjectNode document) {
        return document.path("_rev").asText();
    }
}
