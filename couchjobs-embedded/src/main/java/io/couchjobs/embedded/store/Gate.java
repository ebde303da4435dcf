package io.couchjobs.embedded.store;

import org.jspecify.annotations.Nullable;

/** Checks a write against the old document, and may refuse it, as validation functions do. */
@FunctionalInterface
public interface Gate {
    Gate OPEN = (edit, old) -> {};

    /** Returns, or throws the {@code CouchError} that is the answer. */
    void check(Edit edit, @Nullable Doc old);
}
