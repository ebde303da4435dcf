package io.couchjobs.embedded.feed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.POJONode;

/** A path to a field of a document: names of fields and indexes of lists, such as {@code items.0.sku}. */
final class FieldPath {
    private static final JsonNode BAD = new POJONode(null);

    private final String[] names;

    FieldPath(String field) {
        names = field.split("(?<!\\\\)\\.", -1);
        for (int i = 0; i < names.length; i++) {
            names[i] = names[i].replace("\\", "");
        }
    }

    /**
     * {@return whether a path led into a value that has no fields, such as a string or null} No condition holds for such a field,
     * not even that the field is missing.
     */
    static boolean isBad(JsonNode value) {
        return value.isPojo();
    }

    JsonNode in(JsonNode doc) {
        JsonNode value = doc;
        for (String name : names) {
            value = value.isObject() || value.isMissingNode() ? value.path(name) : element(value, name);
        }
        return value;
    }

    private static JsonNode element(JsonNode list, String place) {
        try {
            int i = Integer.parseInt(place);
            return i >= 0 && i < list.size() ? list.path(i) : BAD;
        } catch (NumberFormatException e) {
            return BAD;
        }
    }
}
