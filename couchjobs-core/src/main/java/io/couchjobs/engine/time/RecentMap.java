package io.couchjobs.engine.time;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map that forgets its oldest entries when it has too many. Not thread-safe. */
public final class RecentMap<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;

    private final int most;

    private RecentMap(int most, boolean byUse) {
        super(16, 0.75f, byUse);
        this.most = most;
    }

    /** {@return a map that forgets the entries that were put in first} */
    public static <K, V> Map<K, V> byAge(int most) {
        return new RecentMap<>(most, false);
    }

    /** {@return a map that forgets the entries that have not been used for the longest time} */
    public static <K, V> Map<K, V> byUse(int most) {
        return new RecentMap<>(most, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}
