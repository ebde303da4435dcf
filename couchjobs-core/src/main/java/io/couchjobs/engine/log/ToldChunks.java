package io.couchjobs.engine.log;

import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Logs;
import java.util.Map;

/**
 * The chunks of a log that a listener was told. Not thread-safe.
 *
 * <p>It remembers the newest chunks one by one. Older ones are met again only when the log is read from its beginning. It remembers
 * only the last id and the last time of these. A chunk that has neither a later id nor a later time was told.
 */
final class ToldChunks {
    private final int most;
    private final Map<Key, Key> told;
    private Key forgotten = new Key("", Long.MIN_VALUE);

    ToldChunks(int most) {
        this.most = most;
        this.told = RecentMap.byAge(most);
    }

    /** Whether it was told. */
    boolean contains(Logs.Chunk chunk) {
        Key key = Key.of(chunk);
        return told.containsKey(key) || !key.isBehind(forgotten);
    }

    /** Takes in that it is told; false when it was before. */
    boolean add(Logs.Chunk chunk) {
        if (contains(chunk)) {
            return false;
        }
        if (told.size() == most) {
            forgotten = forgotten.or(told.keySet().iterator().next());
        }
        Key key = Key.of(chunk);
        told.put(key, key);
        return true;
    }

    /** The chunks of a job that was removed and added anew have the ids of the older ones. */
    private record Key(String docId, long millis) {
        static Key of(Logs.Chunk chunk) {
            return new Key(chunk.docId(), chunk.lines().get(0).at().toEpochMilli());
        }

        boolean isBehind(Key other) {
            return docId.compareTo(other.docId) > 0 || millis > other.millis;
        }

        /** The later id and the later time. */
        Key or(Key other) {
            return new Key(docId.compareTo(other.docId) > 0 ? docId : other.docId, Math.max(millis, other.millis));
        }
    }
}
