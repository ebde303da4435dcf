package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.JsonNode;

/** Compares the numbers in JSON by value: a number written as a long comes back as an int. */
public final class JsonNumbers {
    private JsonNumbers() {}

    /** Compares two values for {@link JsonNode#equals(java.util.Comparator, JsonNode)}. Returns 0 when they are the same. */
    public static int compare(JsonNode one, JsonNode other) {
        if (isFinite(one) && isFinite(other)) {
            return one.decimalValue().compareTo(other.decimalValue());
        }
        return one.equals(other) ? 0 : 1;
    }

    /** Returns whether a value is a number that a double can hold. Other programs may write 1e400, which is too large. */
    private static boolean isFinite(JsonNode value) {
        return value.isNumber() && Double.isFinite(value.doubleValue());
    }
}
