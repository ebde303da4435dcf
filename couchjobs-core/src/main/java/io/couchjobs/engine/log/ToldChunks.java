package io.couchjobs.engine.log;

import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Logs;
import java.util.Map;

/**
 * The chunks of a log that a listener was told. Not thread-safe.
 *
 * <p>The newest chunks are remembered one by one. Older chunks come again only when the log is read from its beginning.
 * Only the last id and the last time of the older chunks are remembered. A chunk that has neither a later id nor a later
 * time was told.
 */
final class ToldChunks {
    private final int most;
    private final Map<Key, Key> told;
    private Key forgotten = new Key("", Long.MIN_VALUE);

    ToldChunks(int most) {
        this.most = most;
        this.told = RecentMap.byAge(most);
    }

    /** {@return whether a chunk was told} */
    boolean contains(Logs.Chunk chunk) {
        Key key = Key.of(chunk);
        return told.containsKey(key) || !key.isBehind(forgotten);
    }

    /** Remembers that a chunk is told. Returns false when it was told before. */
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

    /**
     * Identifies a chunk. The chunks of a job that was removed and added anew have the same ids as the older ones, so the
     * time counts, too.
     */
    private record Key(String docId, long millis) {
        static Key of(Logs.Chunk chunk) {
            return new Key(chunk.docId(), chunk.lines().get(0).at().toEpochMilli());
        }

        boolean isBehind(Key other) {
            return docId.compareTo(other.docId) > 0 || millis > other.millis;
        }

        /** {@return the later id and the later time of two keys} */
        Key or(Key other) {
            return new Key(docId.compareTo(other.docId) > 0 ? docId : other.docId, Math.max(millis, other.millis));
        }
    }
}
