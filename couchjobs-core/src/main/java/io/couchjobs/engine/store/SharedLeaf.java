package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.job.Job;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/**
 * A leaf of a shared document, with its rank. The rank is the generation of its revision minus the number of writes that do
 * not count: withdrawing a write stores the former content once more, and confirming a leaf stores the same content once
 * more. So the longer of two branches is not necessarily the later one. Immutable and thread-safe.
 */
public final class SharedLeaf {
    /**
     * A field of documents on clusters: the id of the write, and the number of earlier writes that do not count. If another
     * client drops the field, little is lost.
     */
    static final String UNCOUNTED = "uncounted";

    /** The fields that belong to one revision of a document, and are not part of its content. */
    public static final List<String> OF_ONE_REVISION = List.of("_rev", UNCOUNTED);

    private static final String REVISIONS = "revisions";
    private static final String WITHDRAWN = "withdrawn";
    private static final String REMOVED = "removed";
    private static final String BY = "by";
    private static final String REV = "_rev";
    private static final String HISTORY = "_revisions";

    /** Orders leaves so that the later one is the greater: by rank, then leaves that are not withdrawn, then by CouchDB's order. */
    public static final Comparator<SharedLeaf> LATER = Comparator.comparingLong(SharedLeaf::rank)
            .thenComparing(leaf -> !leaf.isWithdrawn())
            .thenComparingLong(SharedLeaf::generation)
            .thenComparing(SharedLeaf::rev);

    private final ObjectNode document;

    private SharedLeaf(ObjectNode document) {
        this.document = document;
    }

    /** Returns the leaf of a document as it was read, with or without its history. */
    public static SharedLeaf of(ObjectNode leaf) {
        return new SharedLeaf(leaf);
    }

    String rev() {
        return document.path(REV).asText();
    }

    long generation() {
        return Rev.generation(rev());
    }

    /** Returns the number of changes that count. */
    long rank() {
        return generation() - document.path(UNCOUNTED).path(REVISIONS).asLong();
    }

    /** Returns whether this leaf has the former content, because its writer took a write back. */
    boolean isWithdrawn() {
        return document.path(UNCOUNTED).path(WITHDRAWN).asBoolean();
    }

    boolean isDeleted() {
        return document.path("_deleted").asBoolean();
    }

    /** Returns whether this leaf deletes the document; any other tombstone belongs to a leaf that lost. */
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

    /** Returns whether this leaf is a child of a revision; only one child of a revision is ever confirmed. */
    boolean isChildOf(String rev) {
        return generation() == Rev.generation(rev) + 1 && descendsFrom(rev);
    }

    boolean saysTheSameAs(ObjectNode other) {
        return isDeleted() == other.path("_deleted").asBoolean()
                && (isDeleted() || Job.sayTheSame(plain(document), plain(other)));
    }

    /** Returns the document with its revision, but without the bookkeeping fields of this class. */
    public ObjectNode plain() {
        return plain(document);
    }

    private static ObjectNode plain(ObjectNode document) {
        ObjectNode plain = document.deepCopy();
        plain.remove(UNCOUNTED);
        plain.remove(HISTORY);
        return plain;
    }

    /** Returns a change to be written on this leaf, ranked after the best leaf, which is this leaf or a removal. */
    ObjectNode changedAfter(SharedLeaf best, ObjectNode next) {
        ObjectNode changed = next.deepCopy();
        changed.put(REV, rev());
        mark(changed, generation() - best.rank(), false);
        return changed;
    }

    /** Returns a change to be written after this removal; CouchDB does not require a revision for it. */
    ObjectNode followed(ObjectNode next) {
        ObjectNode changed = next.deepCopy();
        mark(changed, document.path(UNCOUNTED).path(REVISIONS).asLong(), false);
        return changed;
    }

    /** Marks a tombstone as the deletion of the document, so that it wins over earlier leaves. */
    static ObjectNode removal(ObjectNode tombstone) {
        tombstone.withObject("/" + UNCOUNTED).put(REMOVED, true);
        return tombstone;
    }

    /** Returns the same content to be written once more; after a confirmed write, a majority of the copies has it. */
    ObjectNode kept() {
        ObjectNode kept = plain();
        mark(kept, generation() + 1 - rank(), false);
        return kept;
    }

    /** Returns the content of this leaf to be written on an unconfirmed revision, which takes that revision back. */
    ObjectNode instead(String unconfirmed) {
        ObjectNode again = plain();
        again.put(REV, unconfirmed);
        mark(again, Rev.generation(unconfirmed) + 1 - rank(), true);
        return again;
    }

    /**
     * Makes a write unique. CouchDB derives a revision from the content, so two writers of the same content on one base would
     * get the same revision. If one of them took it back, the other writer would lose its confirmed write.
     */
    static ObjectNode unique(ObjectNode next, UUID write) {
        next.withObject("/" + UNCOUNTED).put(BY, write.toString());
        return next;
    }

    /**
     * Returns the tombstone of this leaf, which lost against another leaf, or was taken back when the document did not exist
     * before.
     */
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
