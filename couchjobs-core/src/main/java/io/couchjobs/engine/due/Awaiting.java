package io.couchjobs.engine.due;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The types for which callers wait at the moment. Thread-safe. */
public final class Awaiting {
    private final Map<String, Integer> waiting = new ConcurrentHashMap<>();

    public void begin(Collection<String> types) {
        types.forEach(type -> waiting.merge(type, 1, Integer::sum));
    }

    public void end(Collection<String> types) {
        types.forEach(type -> waiting.computeIfPresent(type, (same, many) -> many == 1 ? null : many - 1));
    }

    public boolean contains(String type) {
        return waiting.containsKey(type);
    }
}
