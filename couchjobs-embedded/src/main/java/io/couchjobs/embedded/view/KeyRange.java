package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.Collation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of an index in ascending order. A bound of null is open.
 *
 * @param from the first position of the range
 * @param to the first position after the range
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a value
record KeyRange(byte @Nullable [] from, byte @Nullable [] to) {
    private static final byte ABOVE = (byte) 0xFF;

    static KeyRange of(QueryArgs args) {
        args.requireForwards();
        byte[] start = edge(args.startKey(), args.startDocId(), args.descending());
        byte[] end = edge(args.endKey(), args.endDocId(), args.descending() != args.inclusiveEnd());
        return args.descending() ? new KeyRange(end, start) : new KeyRange(start, end);
    }

    static KeyRange exactly(JsonNode key) {
        return new KeyRange(edge(key, null, false), edge(key, null, true));
    }

    /** Returns the position just before the rows of a key (and document), or just after them. */
    private static byte @Nullable [] edge(@Nullable JsonNode key, @Nullable String docId, boolean after) {
        if (key == null) {
            return null;
        }
        byte[] place = Collation.key(key);
        if (docId == null) {
            return after ? plus(place, ABOVE) : place;
        }
        byte[] withId = plus(place, IndexRow.idBytes(docId));
        return after ? plus(withId, (byte) 0, ABOVE) : withId;
    }

    private static byte[] plus(byte[] place, byte... more) {
        byte[] longer = Arrays.copyOf(place, place.length + more.length);
        System.arraycopy(more, 0, longer, place.length, more.length);
        return longer;
    }

    boolean isEmpty() {
        return from != null && to != null && Arrays.compareUnsigned(from, to) >= 0;
    }
}
