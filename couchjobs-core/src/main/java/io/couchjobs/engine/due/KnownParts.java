package io.couchjobs.engine.due;

import io.couchjobs.engine.index.LaneKey;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The parts of an index that have been read, as intervals of spots. Not thread-safe. */
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

    /** Up to where all is known from a spot on, or null when nothing is. */
    @Nullable
    LaneKey end(LaneKey from) {
        Map.Entry<LaneKey, LaneKey> part = ends.floorEntry(from);
        return part != null && part.getValue().compareTo(from) >= 0 ? part.getValue() : null;
    }

    /** Whether a job that is at a spot now would have been read if it had been there. When in doubt, yes. */
    boolean contains(LaneKey spot) {
        Map.Entry<LaneKey, LaneKey> part = ends.floorEntry(spot);
        return part != null
                && (part.getValue().compareTo(spot) >= 0 || part.getValue().isSameTime(spot));
    }

    void clear() {
        ends.clear();
    }

    /** With the same time, the second end is further: the server's order of ids differs from ours. */
    private static LaneKey further(LaneKey one, LaneKey second) {
        return second.isSameTime(one) || second.compareTo(one) > 0 ? second : one;
    }
}
