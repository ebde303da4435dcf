package io.couchjobs.couch.config;

import java.util.LinkedHashSet;
import java.util.Set;

/** Collects the distinct problems of a configuration, and reports them together. Not thread-safe. */
final class Problems {
    private final Set<String> found = new LinkedHashSet<>();

    void require(boolean holds, String problem) {
        if (!holds) {
            found.add(problem);
        }
    }

    void throwIfAny() {
        if (!found.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", found));
        }
    }
}
