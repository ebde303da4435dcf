package io.couchjobs.embedded.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Computes the size of a document as CouchDB estimates it ({@code couch_ejson_size.erl}). An escaped character counts as its
 * UTF-8 bytes, and a fraction as a few bytes, regardless of its number of digits.
 */
public final class DocumentSize {
    private static final int LARGEST = 8_000_000;
    private static final String ATTACHMENTS = "_attachments";

    private DocumentSize() {}

    /** Throws an error when a document, without its attachments, is too large. */
    public static void check(String id, JsonNode body) {
        JsonNode attachments = body.get(ATTACHMENTS);
        long size = of(body) - (attachments == null ? 0 : member(ATTACHMENTS, attachments));
        if (size > LARGEST) {
            throw new CouchError(413, "document_too_large", id);
        }
    }

    private static long of(JsonNode value) {
        if (value.isObject()) {
            long size = 1;
            for (Map.Entry<String, JsonNode> one : value.properties()) {
                size += member(one.getKey(), one.getValue());
            }
            return Math.max(2, size);
        }
        if (value.isArray()) {
            long size = 1;
            for (JsonNode element : value) {
                size += of(element) + 1;
            }
            return Math.max(2, size);
        }
        if (value.isTextual()) {
            return text(value.textValue());
        }
        return value.isFloatingPointNumber()
                ? fraction(value.doubleValue())
                : value.asText().length();
    }

    private static long member(String name, JsonNode value) {
        return text(name) + of(value) + 2;
    }

    private static long text(String text) {
        return 2L + text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static int fraction(double value) {
        double size = Math.abs(value);
        int sign = value < 0 ? 1 : 0;
        if (size >= 1) {
            return sign + (size >= 1e100 ? 5 : size >= 1e10 ? 4 : 3);
        }
        if (size <= 1e-300) {
            return sign + 3;
        }
        return sign + (size <= 1e-100 ? 6 : size <= 1e-10 ? 5 : size <= 0.01 ? 4 : 3);
    }
}
