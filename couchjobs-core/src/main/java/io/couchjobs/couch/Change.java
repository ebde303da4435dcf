package io.couchjobs.couch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of the changes feed.
 *
 * @param seq the feed position after this change, opaque
 * @param id the document's id
 * @param revs the winning revision, and with {@code styleAllDocs} the other leaves after it
 * @param deleted whether the winner is a tombstone
 * @param doc the document, when asked for; null otherwise or when it is gone already
 */
public record Change(
        String seq,
        String id,
        List<String> revs,
        boolean deleted,
        @Nullable ObjectNode doc) {

    /**
     * Copies the list of leaves.
     *
     * @param seq the feed position
     * @param id the document's id
     * @param revs its leaves
     * @param deleted whether it is gone
     * @param doc the document or null
     */
    public Change {
        revs = List.copyOf(revs);
    }
}
