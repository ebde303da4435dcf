package io.couchjobs.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A change of a document in a database that a trigger follows. Thread-safe.
 *
 * @param database the name of the database
 * @param id the document's {@code _id}
 * @param rev the revision that the change made
 * @param seq the opaque position of the change in the database's changes feed
 * @param deleted whether the document was deleted
 * @param document the document, or its tombstone; null when it was not read. Must not be modified
 */
public record SourceChange(
        String database,
        String id,
        String rev,
        String seq,
        boolean deleted,
        @Nullable ObjectNode document) {

    /** {@return the document; empty when it was not read} */
    public Optional<ObjectNode> read() {
        return Optional.ofNullable(document);
    }

    /**
     * {@return a copy of this change with its document}
     *
     * @param found the document
     */
    public SourceChange with(ObjectNode found) {
        return new SourceChange(database, id, rev, seq, deleted, found);
    }
}
