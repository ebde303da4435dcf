package io.couchjobs.couch;

import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Json;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a purge.
 *
 * @param purged by document id, the leaves that are gone; an id whose leaves were not there has an empty list
 * @param complete false when not every copy has confirmed it yet (202)
 */
public record PurgeResult(Map<String, List<String>> purged, boolean complete) {

    /**
     * Copies the map.
     *
     * @param purged the leaves that are gone
     * @param complete whether all copies confirmed
     */
    public PurgeResult {
        purged = Map.copyOf(purged);
    }

    static PurgeResult of(Answer answer) throws IOException {
        Map<String, List<String>> revs = new TreeMap<>();
        answer.object()
                .path("purged")
                .properties()
                .forEach(leaves -> revs.put(leaves.getKey(), Json.texts(leaves.getValue())));
        return new PurgeResult(revs, answer.status() != 202);
    }
}
