package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.engine.store.SharedLeaf;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The positions of triggers in the database of a queue, one for each database that a trigger follows. Other documents stand beside
 * them, with names that begin with {@code ~}, which no database's name does. Thread-safe.
 */
final class Positions {
    /** The name of the position in the queue's own database, from which the ends of jobs are read. */
    static final String ENDS = "~ends";

    /** The name of a document that names a pattern. If the document exists, the databases of that pattern have their positions. */
    static final String STARTED = "~started";

    /** The prefix of the name of a document that holds the problem of a source. */
    static final String TROUBLE = "~trouble:";

    private final SharedDocuments documents;

    Positions(SharedDocuments documents) {
        this.documents = documents;
    }

    Optional<Position> read(String trigger, String database) {
        return documents.read(Position.docId(trigger, database)).map(Position::new);
    }

    List<Position> readAll(String trigger) {
        return readAll(trigger, "");
    }

    /** Reads the positions whose names begin with a prefix. */
    List<Position> readAll(String trigger, String names) {
        return documents.readAll(Position.docId(trigger, names)).stream()
                .map(Position::new)
                .toList();
    }

    /** Returns the position of a database. Stores the given position if the database has none yet. */
    Position begin(Position first) {
        return new Position(
                documents.change(first.docId(), document -> document.has("_rev") ? document : first.toDocument()));
    }

    /**
     * Moves a position, confirmed by a majority of the copies.
     *
     * @throws MovedException when the stored position differs by now: it was sent back or removed, or another process follows
     */
    Position move(Position from, Position to) {
        return change(from, present -> {
            if (present.saysTheSameAs(to)) {
                return present; // written by an earlier attempt whose answer was lost
            } else if (present.isElsewhereThan(from)) {
                throw new MovedException();
            }
            return to;
        });
    }

    /**
     * Changes a position, even if it was moved meanwhile.
     *
     * @throws MovedException when the position was removed
     */
    Position change(Position known, UnaryOperator<Position> change) {
        return new Position(documents.change(known.docId(), document -> {
            if (!document.has("_rev")) {
                throw new MovedException();
            }
            ObjectNode next = change.apply(new Position(document)).toDocument();
            SharedLeaf.OF_ONE_REVISION.forEach(field -> next.remove(field));
            document.properties().stream()
                    .filter(field -> SharedLeaf.OF_ONE_REVISION.contains(field.getKey()))
                    .forEach(field -> next.set(field.getKey(), field.getValue()));
            return next;
        }));
    }

    void remove(String trigger) {
        readAll(trigger).forEach(this::remove);
    }

    void remove(Position position) {
        documents.remove(position.docId());
    }

    void remove(String trigger, String database) {
        documents.remove(Position.docId(trigger, database));
    }

    /** Thrown when another process moved or removed the position after this process read it. */
    static final class MovedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MovedException() {
            super("the position was moved by another process", null, false, false);
        }
    }
}
