package io.couchjobs.embedded.store;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.tree.Revision;
import org.jspecify.annotations.Nullable;

/** The result of an {@link Edit}: the new revision, or an error. */
public record EditResult(
        String id, @Nullable Revision rev, @Nullable CouchError error) {
    static EditResult stored(String id, Revision rev) {
        return new EditResult(id, rev, null);
    }

    static EditResult refused(String id, @Nullable Revision rev, CouchError error) {
        return new EditResult(id, rev, error);
    }

    public Revision revOrThrow() {
        if (error != null) {
            throw error;
        }
        if (rev == null) {
            throw CouchError.conflict();
        }
        return rev;
    }
}
