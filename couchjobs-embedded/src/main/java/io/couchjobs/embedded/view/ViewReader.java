package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.CouchError;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;

/** Reads the rows of a view, reduced or not. */
public final class ViewReader {
    private final ViewGroup group;
    private final MVMap<byte[], IndexRow> rows;
    private final DesignDoc.ViewDef view;

    public ViewReader(ViewGroup group, String viewName) {
        int position = group.design().position(viewName);
        this.group = group;
        this.rows = group.rows(position);
        this.view = group.design().views().get(position);
    }

    public ViewResult read(QueryArgs args) {
        if (args.reduceAsked() && view.reduce().isEmpty()) {
            throw CouchError.queryParse("Reduce is invalid for map-only views.");
        }
        boolean reduced = args.reduce() && !view.reduce().isEmpty();
        if (!reduced && args.groupLevel() != 0) {
            throw CouchError.queryParse("Invalid use of grouping on a map view.");
        }
        return group.atOnce(() -> reduced ? reduced(args) : mapped(args));
    }

    private ViewResult mapped(QueryArgs args) {
        Optional<List<JsonNode>> keys = args.keys();
        if (keys.isPresent()) {
            List<JsonNode> wanted = new ArrayList<>(keys.get());
            if (args.descending()) {
                Collections.reverse(wanted);
            }
            Stream<ViewRow> all = cursors(wanted, args.descending()).stream()
                    .flatMap(ViewReader::stream)
                    .map(ViewReader::row);
            return result(0, all.skip(args.skip()).limit(args.limit()).iterator());
        }
        KeyRange range = KeyRange.of(args);
        Iterator<ViewRow> found = stream(cursor(range, args.descending()))
                .skip(args.skip())
                .limit(args.limit())
                .map(ViewReader::row)
                .iterator();
        return result(Math.min(offset(range, args.descending()) + args.skip(), rows.sizeAsLong()), found);
    }

    private ViewResult result(long offset, Iterator<ViewRow> found) {
        return new ViewResult(rows.sizeAsLong(), offset, found, group.seq());
    }

    private static ViewRow row(IndexRow row) {
        return new ViewRow(row.id(), row.key(), row.value());
    }

    private long offset(KeyRange range, boolean descending) {
        if (descending) {
            return range.to() == null ? 0 : rows.sizeAsLong() - countBefore(range.to());
        }
        return range.from() == null ? 0 : countBefore(range.from());
    }

    private long countBefore(byte[] place) {
        byte[] next = rows.ceilingKey(place);
        return next == null ? rows.sizeAsLong() : rows.getKeyIndex(next);
    }

    long count(KeyRange range) {
        if (range.isEmpty()) {
            return 0;
        }
        long before = range.from() == null ? 0 : countBefore(range.from());
        return (range.to() == null ? rows.sizeAsLong() : countBefore(range.to())) - before;
    }

    /** {@return for each key, its current rows} */
    List<Iterator<IndexRow>> cursors(List<JsonNode> keys, boolean descending) {
        return keys.stream()
                .map(key -> cursor(KeyRange.exactly(key), descending))
                .toList();
    }

    /** Returns the rows of a range. The store includes the upper bound, but no row has that position. */
    Iterator<IndexRow> cursor(KeyRange range, boolean descending) {
        if (range.isEmpty()) {
            return Collections.emptyIterator();
        }
        Cursor<byte[], IndexRow> cursor =
                descending ? rows.cursor(range.to(), range.from(), true) : rows.cursor(range.from(), range.to(), false);
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return cursor.hasNext();
            }

            @Override
            public IndexRow next() {
                cursor.next();
                return cursor.getValue();
            }
        };
    }

    private static Stream<IndexRow> stream(Iterator<IndexRow> iterator) {
        Iterable<IndexRow> iterable = () -> iterator;
        return StreamSupport.stream(iterable.spliterator(), false);
    }

    private ViewResult reduced(QueryArgs args) {
        Reducer reducer = Reducer.of(view.reduce(), group.design());
        Iterator<ViewRow> groups = args.keys()
                .map(keys -> Grouping.byKeys(this, reducer, keys, args))
                .orElseGet(() -> Grouping.byRange(this, reducer, args));
        Iterable<ViewRow> iterable = () -> groups;
        Iterator<ViewRow> page = StreamSupport.stream(iterable.spliterator(), false)
                .skip(args.skip())
                .limit(args.limit())
                .iterator();
        return new ViewResult(-1, 0, page, group.seq());
    }
}
