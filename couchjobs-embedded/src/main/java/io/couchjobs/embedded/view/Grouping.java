package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.couchjobs.embedded.protocol.Collation;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** Reduces each group of consecutive rows, whose keys have the same first elements, to one row. */
final class Grouping implements Iterator<ViewRow> {
    private static final byte[] NULL = "null".getBytes(StandardCharsets.UTF_8);

    private final Iterator<IndexRow> rows;
    private final Reducer reducer;
    private final int level;
    private @Nullable IndexRow ahead;

    private Grouping(Iterator<IndexRow> rows, Reducer reducer, int level) {
        this.rows = rows;
        this.reducer = reducer;
        this.level = level;
        this.ahead = rows.hasNext() ? rows.next() : null;
    }

    static Iterator<ViewRow> byRange(ViewReader reader, Reducer reducer, QueryArgs args) {
        KeyRange range = KeyRange.of(args);
        if (args.groupLevel() == 0 && reducer.onlyCounts()) {
            long count = reader.count(range);
            return count == 0
                    ? Collections.emptyIterator()
                    : Collections.singleton(
                                    new ViewRow(null, NULL, Long.toString(count).getBytes(StandardCharsets.UTF_8)))
                            .iterator();
        }
        return new Grouping(reader.cursor(range, args.descending()), reducer, args.groupLevel());
    }

    static Iterator<ViewRow> byKeys(ViewReader reader, Reducer reducer, List<JsonNode> keys, QueryArgs args) {
        if (args.groupLevel() != Integer.MAX_VALUE && keys.size() > 1) {
            throw CouchError.queryParse("Multi-key fetches for reduce views must use `group=true`");
        }
        return reader.cursors(keys, false).stream()
                .map(rows -> new Grouping(rows, reducer, args.groupLevel()))
                .filter(Grouping::hasNext)
                .map(Grouping::next)
                .iterator();
    }

    @Override
    public boolean hasNext() {
        return ahead != null;
    }

    @Override
    public ViewRow next() {
        IndexRow first = ahead;
        if (first == null) {
            throw new NoSuchElementException();
        }
        Reducer.Total total = reducer.start();
        JsonNode group = groupKey(first);
        byte[] groupBytes = Collation.key(group);
        while (ahead != null && (level == 0 || sameGroup(ahead, first, groupBytes))) {
            total.add(ahead);
            ahead = rows.hasNext() ? rows.next() : null;
        }
        return new ViewRow(null, Json.bytes(group), Json.bytes(total.result()));
    }

    private boolean sameGroup(IndexRow row, IndexRow first, byte[] group) {
        return Arrays.equals(row.key(), first.key()) || Arrays.equals(Collation.key(groupKey(row)), group);
    }

    private JsonNode groupKey(IndexRow row) {
        JsonNode key = level == 0 ? Json.parse(NULL) : Json.parse(row.key());
        if (!key.isArray() || key.size() <= level) {
            return key;
        }
        ArrayNode head = Json.array();
        for (int i = 0; i < level; i++) {
            head.add(key.get(i));
        }
        return head;
    }
}
