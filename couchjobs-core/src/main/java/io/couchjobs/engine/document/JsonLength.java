package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;

/** How long the JSON text of a tree can be: an estimate that is much cheaper than writing it. Stateless. */
public final class JsonLength {
    /** Bytes in UTF-8 of a character at most: those of an escape. */
    private static final int ESCAPE = 6;

    private static final int BRACKETS = 2;
    private static final int SEPARATOR = 1;

    private JsonLength() {}

    /** Counts characters, each as one, also those that are escaped; very many when the length of some node is unknown. */
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
     * @return no less than there are
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
