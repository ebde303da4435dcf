package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;

/**
 * Limits how deeply a job's document may be nested. CouchDB stores any depth, but not every reader copes with it. CouchDB's
 * JavaScript engine fails at some ten thousand levels, and all indexes fail with it. The map functions and the guard check
 * the same limit (design-docs/lib/job.js): change all of them together.
 */
public final class Nesting {
    /** The most levels of objects and arrays in a job; the document itself is the first. */
    static final int DEEPEST = 500;

    /** The problem of a field that is nested too deeply. */
    public static final String TOO_DEEP =
            "is nested too deeply: a job has at most " + DEEPEST + " levels, its document included";

    private Nesting() {}

    /** {@return the name of the first field that is nested too deeply; empty when there is none} */
    public static Optional<String> deepField(JsonNode document) {
        for (Map.Entry<String, JsonNode> field : document.properties()) {
            if (isTooDeep(field.getValue())) {
                return Optional.of(field.getKey());
            }
        }
        return Optional.empty();
    }

    /** Returns whether a value is nested too deeply for a field of a document. Stops at the deepest level allowed. */
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
