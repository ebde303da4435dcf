package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.JsonNode;

/** Compares JSON with numbers by value: a number written as a long comes back as an int. */
public final class JsonNumbers {
    private JsonNumbers() {}

    /** For {@link JsonNode#equals(java.util.Comparator, JsonNode)}: 0 when two values are the same. */
    public static int compare(JsonNode one, JsonNode other) {
        if (isFinite(one) && isFinite(other)) {
            return one.decimalValue().compareTo(other.decimalValue());
        }
        return one.equals(other) ? 0 : 1;
    }

    /** Others may write 1e400, which no double can hold. */
    private static boolean isFinite(JsonNode value) {
        return value.isNumber() && Double.isFinite(value.doubleValue());
    }
}
