package io.couchjobs.embedded.cluster;

import java.util.List;

/**
 * The answer of a coordinator to a write.
 *
 * @param status of a bulk answer: 201; 202 when a document was taken by fewer copies than the quorum; 500 when the copies
 *     refused one for different reasons or did not answer at all
 * @param rows one per document, in the order of the request
 */
public record WriteAnswer(int status, List<WriteRow> rows) {
    public WriteAnswer {
        rows = List.copyOf(rows);
    }
}
