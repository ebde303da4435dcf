package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.Tombstone;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;
import java.util.Comparator;

/**
 * A leaf of a shared document, and how far it has come. Its rank is the number of its revision less those that do not count:
 * who takes a write back writes what was there before once more, and who has a majority confirm a leaf writes the same once more.
 * So the longer of two branches is not the later one for that. Immutable and thread-safe.
 */
public final class SharedLeaf {
    /** In documents that had a write which no majority confirmed. Other clients keep the field, or drop it and lose little. */
    static final String UNCOUNTED = "uncounted";

    private static final String REVISIONS = "revisions";
    private static final String WITHDRAWN = "withdrawn";
    private static final String REMOVED = "removed";
    private static final String REV = "_rev";
    private static final String HISTORY = "_revisions";

    /** The later one is the greater: by rank, then what was not taken back, then as CouchDB chooses. */
    public static final Comparator<SharedLeaf> LATER = Comparator.comparingLong(SharedLeaf::rank)
            .thenComparing(leaf -> !leaf.isWithdrawn())
            .thenComparingLong(SharedLeaf::generation)
            .thenComparing(SharedLeaf::rev);

    private final ObjectNode document;

    private SharedLeaf(ObjectNode document) {
        this.document = document;
    }

    /** A leaf as read, with its history or without it. */
    static SharedLeaf of(ObjectNode leaf) {
        return new SharedLeaf(leaf);
    }

    String rev() {
        return document.path(REV).asText();
    }

    long generation() {
        return Rev.generation(rev());
    }

    /** How many changes it has seen. */
    long rank() {
        return generation() - document.path(UNCOUNTED).path(REVISIONS).asLong();
    }

    /** Whether it says what was there before a write that its writer took back. */
    boolean isWithdrawn() {
        return document.path(UNCOUNTED).path(WITHDRAWN).asBoolean();
    }

    boolean isDeleted() {
        return document.path("_deleted").asBoolean();
    }

    /** Whether somebody deleted the document here; any other tombstone is of a leaf that lost. */
    boolean isRemoval() {
        return isDeleted() && document.path(UNCOUNTED).path(REMOVED).asBoolean();
    }

    boolean counts() {
        return !isDeleted() || isRemoval();
    }

    boolean descendsFrom(String rev) {
        long start = document.path(HISTORY).path("start").asLong();
        long back = start - Rev.generation(rev);
        String hash = document.path(HISTORY).path("ids").path((int) back).asText();
        return rev().equals(rev) || (back >= 0 && rev.endsWith("-" + hash));
    }

    /** Whether this and a child of the revision stand side by side: of the children of one revision only one is ever confirmed. */
    boolean isChildOf(String rev) {
        return generation() == Rev.generation(rev) + 1 && descendsFrom(rev);
    }

    boolean saysTheSameAs(ObjectNode other) {
        return isDeleted() == other.path("_deleted").asBoolean()
                && (isDeleted() || Job.sayTheSame(plain(document), plain(other)));
    }

    /** The document without what is only of use here; with its revision. */
    public ObjectNode plain() {
        return plain(document);
    }

    private static ObjectNode plain(ObjectNode document) {
        ObjectNode plain = document.deepCopy();
        plain.remove(UNCOUNTED);
        plain.remove(HISTORY);
        return plain;
    }

    /** What a change makes of this leaf. */
    ObjectNode changed(ObjectNode next) {
        ObjectNode changed = next.deepCopy();
        changed.put(REV, rev());
        mark(changed, document.path(UNCOUNTED).path(REVISIONS).asLong(), false);
        return changed;
    }

    /** What a change makes on this leaf, which lost, so that it comes after the best one. */
    ObjectNode changedAfter(SharedLeaf best, ObjectNode next) {
        ObjectNode changed = next.deepCopy();
        changed.put(REV, rev());
        mark(changed, generation() - best.rank(), false);
        return changed;
    }

    /** What a change makes of this removal: CouchDB lets it follow without being named. */
    ObjectNode followed(ObjectNode next) {
        ObjectNode changed = next.deepCopy();
        mark(changed, document.path(UNCOUNTED).path(REVISIONS).asLong(), false);
        return changed;
    }

    /** The tombstone of a document that somebody deletes: it beats the leaves that came before it. */
    static ObjectNode removal(ObjectNode tombstone) {
        tombstone.withObject("/" + UNCOUNTED).put(REMOVED, true);
        return tombstone;
    }

    /** The same once more: when that is confirmed, a majority of the copies has it. */
    ObjectNode kept() {
        ObjectNode kept = plain();
        mark(kept, generation() + 1 - rank(), false);
        return kept;
    }

    /** What takes back a write of that revision: this leaf's content again. */
    ObjectNode instead(String unconfirmed) {
        ObjectNode again = plain();
        again.put(REV, unconfirmed);
        mark(again, Rev.generation(unconfirmed) + 1 - rank(), true);
        return again;
    }

    /** The tombstone of a leaf that lost against another one, or that was taken back and had nothing before it. */
    ObjectNode lost(String to) {
        return lost(document.path("_id").asText(), rev(), to);
    }

    static ObjectNode lost(String docId, String rev, String to) {
        ObjectNode tombstone = Tombstone.of(docId, rev);
        tombstone.putObject("resolved").put("by", to);
        return tombstone;
    }

    private static void mark(ObjectNode document, long revisions, boolean withdrawn) {
        document.remove(UNCOUNTED);
        if (revisions != 0 || withdrawn) {
            document.putObject(UNCOUNTED).put(REVISIONS, revisions);
        }
        if (withdrawn) {
            document.withObject("/" + UNCOUNTED).put(WITHDRAWN, true);
        }
    }
}
