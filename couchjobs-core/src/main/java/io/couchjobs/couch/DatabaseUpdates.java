package io.couchjobs.couch;

import java.util.Set;

/**
 * Databases that were created, changed or deleted. Immutable and thread-safe.
 *
 * @param databases their names
 * @param position the position to go on from
 */
public record DatabaseUpdates(Set<String> databases, String position) {
    /**
     * Copies the names.
     *
     * @param databases the names
     * @param position the position
     */
    public DatabaseUpdates {
        databases = Set.copyOf(databases);
    }
}
