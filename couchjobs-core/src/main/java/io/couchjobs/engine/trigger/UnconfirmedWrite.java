package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.JsonNumbers;
import io.couchjobs.engine.document.Rev;
import java.util.List;

/**
 * A write into a document of the user whose leaf may beat what a majority has.
 *
 * @param document what was written, with the revision that it was made on
 * @param rev its own revision; empty when the answer did not tell it
 * @param isConfirmed whether it was confirmed since
 */
record UnconfirmedWrite(ObjectNode document, String rev, boolean isConfirmed) {
    /** Whether this write made the leaf. */
    boolean is(ObjectNode leaf) {
        String made = leaf.path("_rev").asText();
        return rev.isEmpty()
                ? Rev.generation(made) == Rev.generation(base()) + 1
                        && content(leaf).equals(JsonNumbers::compare, content(document))
                : made.equals(rev);
    }

    /** The revision on which it was made. */
    String base() {
        return document.path("_rev").asText();
    }

    private static ObjectNode content(ObjectNode document) {
        return document.deepCopy().without(List.of("_rev", "_revisions"));
    }
}
