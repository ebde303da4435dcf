package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;

/**
 * How deeply a job's document may be nested. CouchDB stores any depth, but not every reader copes with it: its
 * JavaScript dies of some ten thousand levels, and all indexes with it. The map functions and the guard check the same
 * (design-docs/lib/job.js): change all together.
 */
public final class Nesting {
    /** The levels of objects and arrays that a job has at most; the document itself is the first. */
    static final int DEEPEST = 500;

    /** The problem of a field that goes deeper. */
    public static final String TOO_DEEP =
            "is nested too deeply: a job has at most " + DEEPEST + " levels, its document included";

    private Nesting() {}

    /** The first field that goes deeper than a document may. */
    public static Optional<String> deepField(JsonNode document) {
        for (Map.Entry<String, JsonNode> field : document.properties()) {
            if (isTooDeep(field.getValue())) {
                return Optional.of(field.getKey());
            }
        }
        return Optional.empty();
    }

    /** Whether a value goes too deep for a field of a document. Stops at that depth. */
    public static boolean isTooDeep(JsonNode value) {
        return isDeeper(value, DEEPEST - 1);
    }

    private static boolean isDeeper(JsonNode value, int levels) {
        if (!value.isContainerNode()) {
            return false;
        }
        if (levels == 0) {
            return true;
        }
        for (JsonNode element : value) {
            if (isDeeper(element, levels - 1)) {
                return true;
            }
        }
        return false;
    }
}
