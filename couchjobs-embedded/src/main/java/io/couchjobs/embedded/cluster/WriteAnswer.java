package io.couchjobs.embedded.cluster;

import java.util.List;

/**
 * A coordinator's answer to a write.
 *
 * @param status the status of a bulk answer: 201; 202 when fewer copies than the quorum stored a document; 500 when the copies
 *     refused a document for different reasons, or none answered
 * @param rows one per document, in the order of the request
 */
public record WriteAnswer(int status, List<WriteRow> rows) {
    public WriteAnswer {
        rows = List.copyOf(rows);
    }
}
