package io.couchjobs.embedded.store;

import org.jspecify.annotations.Nullable;

/** Checks a write against the old document, like a validation function. */
@FunctionalInterface
public interface Gate {
    Gate OPEN = (edit, old) -> {};

    /** Returns if the write is allowed; otherwise throws the {@code CouchError} for the client. */
    void check(Edit edit, @Nullable Doc old);
}
