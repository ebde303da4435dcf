package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.JsonNumbers;
import io.couchjobs.engine.document.Rev;
import java.util.List;

/**
 * A write of a user's document whose leaf may beat the leaf that a majority has.
 *
 * @param document the written document, with the revision that it was written on
 * @param rev the revision that the write made; empty when the answer did not tell it
 * @param isConfirmed whether a majority has confirmed the write since
 */
record UnconfirmedWrite(ObjectNode document, String rev, boolean isConfirmed) {
    /** Returns whether this write made a leaf. */
    boolean is(ObjectNode leaf) {
        String made = leaf.path("_rev").asText();
        return rev.isEmpty()
                ? Rev.generation(made) == Rev.generation(base()) + 1
                        && content(leaf).equals(JsonNumbers::compare, content(document))
                : made.equals(rev);
    }

    /** Returns the revision that the document was written on. */
    String base() {
        return document.path("_rev").asText();
    }

    private static ObjectNode content(ObjectNode document) {
        return document.deepCopy().without(List.of("_rev", "_revisions"));
    }
}
