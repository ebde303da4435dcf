package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.job.Job;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/**
 * A leaf of a shared document, and how far it has come. Its rank is the number of its revision less those that do not
 * count: withdrawing a write stores the former content once more, and confirming a leaf stores the same content once
 * more. So the longer of two branches is not necessarily the later one. Immutable and thread-safe.
 */
public final class SharedLeaf {
    /**
     * A field of documents on clusters: which write it was, and how many writes before it count for nothing. Other clients
     * keep the field, or drop it and lose little.
     */
    static final String UNCOUNTED = "uncounted";

    /** The fields that belong to one revision of a document, and say nothing of its content. */
    public static final List<String> OF_ONE_REVISION = List.of("_rev", UNCOUNTED);

    private static final String REVISIONS = "revisions";
    private static final String WITHDRAWN = "withdrawn";
    private static final String REMOVED = "removed";
    private static final String BY = "by";
    private static final String REV = "_rev";
    private static final String HISTORY = "_revisions";

    /** The later leaf is the greater: by rank, then leaves not withdrawn, then as CouchDB chooses. */
    public static final Comparator<SharedLeaf> LATER = Comparator.comparingLong(SharedLeaf::rank)
            .thenComparing(leaf -> !leaf.isWithdrawn())
            .thenComparingLong(SharedLeaf::generation)
            .thenComparing(SharedLeaf::rev);

    private final ObjectNode document;

    private SharedLeaf(ObjectNode document) {
        this.document = document;
    }

    /** A leaf as read, with its history or without it. */
    public static SharedLeaf of(ObjectNode leaf) {
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

    /** Whether it has the content from before a write that its writer took back. */
    boolean isWithdrawn() {
        return document.path(UNCOUNTED).path(WITHDRAWN).asBoolean();
    }

    boolean isDeleted() {
        return document.path("_deleted").asBoolean();
    }

    /** Whether this leaf deletes the document; any other tombstone is of a leaf that lost. */
    boolean isRemoval() {
        return isDeleted() && document.path(UNCOUNTED).path(REMOVED).asBoolean();
    }

    boolean counts() {
        return !isDeleted() || isRemoval();
    }

    public boolean descendsFrom(String rev) {
        long start = document.path(HISTORY).path("start").asLong();
        long back = start - Rev.generation(rev);
        String hash = document.path(HISTORY).path("ids").path((int) back).asText();
        return rev().equals(rev) || (back >= 0 && rev.endsWith("-" + hash));
    }

    /** Whether this leaf is a child of that revision: only one child of a revision is ever confirmed. */
    boolean isChildOf(String rev) {
        return generation() == Rev.generation(rev) + 1 && descendsFrom(rev);
    }

    boolean saysTheSameAs(ObjectNode other) {
        return isDeleted() == other.path("_deleted").asBoolean()
                && (isDeleted() || Job.sayTheSame(plain(document), plain(other)));
    }

    /** The document without the fields of this class; with its revision. */
    public ObjectNode plain() {
        return plain(document);
    }

    private static ObjectNode plain(ObjectNode document) {
        ObjectNode plain = document.deepCopy();
        plain.remove(UNCOUNTED);
        plain.remove(HISTORY);
        return plain;
    }

    /** A change written on this leaf, with a rank after the best one: that is this leaf, or a removal. */
    ObjectNode changedAfter(SharedLeaf best, ObjectNode next) {
        ObjectNode changed = next.deepCopy();
        changed.put(REV, rev());
        mark(changed, generation() - best.rank(), false);
        return changed;
    }

    /** A change written after this removal: CouchDB needs no revision for that. */
    ObjectNode followed(ObjectNode next) {
        ObjectNode changed = next.deepCopy();
        mark(changed, document.path(UNCOUNTED).path(REVISIONS).asLong(), false);
        return changed;
    }

    /** The tombstone of a deleted document: it beats the leaves that came before it. */
    static ObjectNode removal(ObjectNode tombstone) {
        tombstone.withObject("/" + UNCOUNTED).put(REMOVED, true);
        return tombstone;
    }

    /** The same content once more: when that is confirmed, a majority of the copies has it. */
    ObjectNode kept() {
        ObjectNode kept = plain();
        mark(kept, generation() + 1 - rank(), false);
        return kept;
    }

    /** Takes back a write of that revision: this leaf's content again. */
    ObjectNode instead(String unconfirmed) {
        ObjectNode again = plain();
        again.put(REV, unconfirmed);
        mark(again, Rev.generation(unconfirmed) + 1 - rank(), true);
        return again;
    }

    /**
     * Makes a write unique. CouchDB derives a revision from the content, so two writers of the same content on one base would get
     * the same revision. If one of them took it back, the other one would lose its write, too, although that was confirmed.
     */
    static ObjectNode unique(ObjectNode next, UUID write) {
        next.withObject("/" + UNCOUNTED).put(BY, write.toString());
        return next;
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
