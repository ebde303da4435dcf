package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Checks a write against the old document, and may refuse it, as validation functions do. */
@FunctionalInterface
public interface Gate {
    Gate OPEN = (newDoc, oldDoc) -> {};

    /** Returns, or throws the {@code CouchError} that is the answer. */
    void check(Doc newDoc, @Nullable ObjectNode oldDoc);
}
