package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Who may refuse a write after having seen the old document: the validation functions. */
@FunctionalInterface
public interface Gate {
    Gate OPEN = (newDoc, oldDoc) -> {};

    /** Returns, or throws the {@code CouchError} that is the answer. */
    void check(Doc newDoc, @Nullable ObjectNode oldDoc);
}
