package io.couchjobs.engine.due;

import io.couchjobs.engine.index.LaneKey;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The parts of an index that have been read, as intervals of keys. Not thread-safe. */
final class KnownParts {
    private final TreeMap<LaneKey, LaneKey> ends = new TreeMap<>();

    /** Adds a part that was read. */
    void add(LaneKey from, LaneKey to) {
        LaneKey begin = from;
        LaneKey end = to;
        Map.Entry<LaneKey, LaneKey> before = ends.floorEntry(from);
        if (before != null && before.getValue().compareTo(from) >= 0) {
            begin = before.getKey();
            end = further(before.getValue(), end);
        }
        for (Map.Entry<LaneKey, LaneKey> next = ends.higherEntry(begin);
                next != null && next.getKey().compareTo(end) <= 0;
                next = ends.higherEntry(begin)) {
            end = further(end, next.getValue());
            ends.remove(next.getKey());
        }
        ends.put(begin, end);
    }

    /** Returns the end of the known part that contains a key, or null when no known part does. */
    @Nullable
    LaneKey end(LaneKey from) {
        Map.Entry<LaneKey, LaneKey> part = ends.floorEntry(from);
        return part != null && part.getValue().compareTo(from) >= 0 ? part.getValue() : null;
    }

    /** Returns whether reading the known parts would have found a job at this key; true when in doubt. */
    boolean contains(LaneKey spot) {
        Map.Entry<LaneKey, LaneKey> part = ends.floorEntry(spot);
        return part != null
                && (part.getValue().compareTo(spot) >= 0 || part.getValue().isSameTime(spot));
    }

    void clear() {
        ends.clear();
    }

    /** Returns the later end. With the same time, the second counts as later: the server's order of ids differs from Java's. */
    private static LaneKey further(LaneKey one, LaneKey second) {
        return second.isSameTime(one) || second.compareTo(one) > 0 ? second : one;
    }
}
