package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.engine.store.SharedLeaf;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The positions of triggers in the database of a queue, one for each database that a trigger follows. Other documents stand beside them.
 * Each of their names begins with a character that no database's name has. Thread-safe.
 */
final class Positions {
    /** The position in the queue's own database, where the ends of jobs are read. */
    static final String ENDS = "~ends";

    /** A document that names a pattern. While it is there, the databases of that pattern have their positions. */
    static final String STARTED = "~started";

    /** Before the name of a source: the document holds its problem. */
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

    /** The positions whose names begin with a prefix. */
    List<Position> readAll(String trigger, String names) {
        return documents.readAll(Position.docId(trigger, names)).stream()
                .map(Position::new)
                .toList();
    }

    /** The position of a database; the given one when it has none yet. */
    Position begin(Position first) {
        return new Position(
                documents.change(first.docId(), document -> document.has("_rev") ? document : first.toDocument()));
    }

    /**
     * Moves a position on, confirmed by a majority of the copies.
     *
     * @throws MovedException when it is elsewhere by now: it was sent back or removed, or another process follows
     */
    Position move(Position from, Position to) {
        return change(from, present -> {
            if (present.saysTheSameAs(to)) {
                return present; // an earlier try, whose answer was lost
            } else if (present.isElsewhereThan(from)) {
                throw new MovedException();
            }
            return to;
        });
    }

    /**
     * Changes a position, wherever it is.
     *
     * @throws MovedException when it is gone
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

    /** Somebody else moved the position since this process read it. */
    static final class MovedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MovedException() {
            super("the position was moved by another process", null, false, false);
        }
    }
}
