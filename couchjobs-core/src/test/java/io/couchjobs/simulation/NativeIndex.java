package io.couchjobs.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Collation;
import io.couchjobs.embedded.store.Change;
import io.couchjobs.embedded.store.Database;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A view of one copy, brought up to date by what has changed since it was last asked. Not thread-safe. */
final class NativeIndex {
    private final Function<ObjectNode, Optional<Row>> map;
    private final Map<String, Row> byId = new HashMap<>();
    private final NavigableSet<Row> rows = new TreeSet<>();
    private long reached;

    /** A row, which lies where the bytes of its key place it. */
    @SuppressWarnings("ArrayRecordComponent") // compared by its contents
    record Row(String id, byte[] place, JsonNode key, JsonNode value, ObjectNode doc) implements Comparable<Row> {
        private static final Comparator<Row> ORDER =
                Comparator.comparing(Row::place, Arrays::compareUnsigned).thenComparing(Row::id);

        static Row of(String id, JsonNode key, JsonNode value, ObjectNode doc) {
            return new Row(id, Collation.key(key), key, value, doc);
        }

        @Override
        public int compareTo(Row other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * Is empty yet.
     *
     * @param map gives the row of a document that is not deleted, with its conflicts
     */
    NativeIndex(Function<ObjectNode, Optional<Row>> map) {
        this.map = map;
    }

    /** {@return all rows of the copy, in order} */
    NavigableSet<Row> rows(Database own) {
        for (Iterator<Change> changes = own.changes(reached); changes.hasNext(); ) {
            Change change = changes.next();
            reached = change.seq();
            replace(
                    change.id(),
                    own.live(change.id()).map(doc -> doc.jsonWithConflicts()).flatMap(map));
        }
        return rows;
    }

    private void replace(String id, Optional<Row> row) {
        @Nullable Row before = byId.remove(id);
        if (before != null) {
            rows.remove(before);
        }
        row.ifPresent(now -> {
            byId.put(id, now);
            rows.add(now);
        });
    }
}
