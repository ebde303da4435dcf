package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;

/** Estimates how long the JSON text of a tree can be, which is much cheaper than writing the text. Stateless. */
public final class JsonLength {
    /** The most bytes of a character in UTF-8: the length of an escape. */
    private static final int ESCAPE = 6;

    private static final int BRACKETS = 2;
    private static final int SEPARATOR = 1;

    private JsonLength() {}

    /** Counts characters. An escaped character counts as one. A node of unknown length counts as very many. */
    public static long characters(JsonNode tree) {
        return switch (tree.getNodeType()) {
            case STRING, BINARY -> BRACKETS + (long) tree.asText().length();
            case OBJECT, ARRAY -> BRACKETS + names(tree) + children(tree);
            case POJO -> Integer.MAX_VALUE;
            default -> tree.asText().length();
        };
    }

    /**
     * Counts bytes in UTF-8 as if all characters were escaped.
     *
     * @return at least the number of bytes of the text
     */
    public static long mostBytes(JsonNode tree) {
        return ESCAPE * characters(tree);
    }

    private static long names(JsonNode tree) {
        long length = 0;
        for (Iterator<String> names = tree.fieldNames(); names.hasNext(); ) {
            length += BRACKETS + names.next().length() + SEPARATOR;
        }
        return length;
    }

    private static long children(JsonNode tree) {
        long length = 0;
        for (JsonNode child : tree) {
            length += characters(child) + SEPARATOR;
        }
        return length;
    }
}
