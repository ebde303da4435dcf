package io.couchjobs.embedded.store;

import java.util.Objects;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;

/** The live documents in the order of their ids. */
public final class IdRange {
    private final MVMap<String, String> map;

    IdRange(MVMap<String, String> map) {
        this.map = map;
    }

    /** {@return the winning revision of a live document, or null} */
    public @Nullable String rev(String id) {
        return map.get(id);
    }

    /** {@return a cursor over ids and revisions; a bound of null is open} */
    public Cursor<String, String> cursor(@Nullable String from, @Nullable String to, boolean descending) {
        return map.cursor(from, to, descending);
    }

    /** {@return the number of documents before an id} */
    public long countBefore(String id) {
        String next = map.ceilingKey(id);
        return next == null ? map.sizeAsLong() : map.getKeyIndex(Objects.requireNonNull(next));
    }

    public long size() {
        return map.sizeAsLong();
    }
}
