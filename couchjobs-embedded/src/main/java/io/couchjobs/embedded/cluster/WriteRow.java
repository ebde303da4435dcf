package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.tree.Revision;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of the write of one document.
 *
 * @param rev the new revision; null when it was refused
 * @param accepted whether fewer copies than the quorum have taken it
 * @param error why it was refused; null when it was not
 */
public record WriteRow(
        String id,
        @Nullable Revision rev,
        boolean accepted,
        @Nullable CouchError error) {
    /** {@return the status of the answer when this is the only document: 201, 202, or that of the error} */
    public int status() {
        if (error != null) {
            return error.status();
        }
        return accepted ? 202 : 201;
    }
}
