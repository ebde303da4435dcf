package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.tree.Revision;
import org.jspecify.annotations.Nullable;

/**
 * The result of the write of one document.
 *
 * @param rev the new revision; null when the write was refused
 * @param accepted whether fewer copies than the quorum stored the document
 * @param error the reason for a refusal; null when the write was not refused
 */
public record WriteRow(
        String id,
        @Nullable Revision rev,
        boolean accepted,
        @Nullable CouchError error) {
    /** {@return the status of an answer with only this document: 201, 202, or the status of the error} */
    public int status() {
        if (error != null) {
            return error.status();
        }
        return accepted ? 202 : 201;
    }
}
