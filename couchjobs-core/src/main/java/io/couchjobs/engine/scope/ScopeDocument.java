package io.couchjobs.engine.scope;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.Scopes;
import java.time.Duration;

/** The fields of a scope's document. */
final class ScopeDocument {
    static final String RUNNING = "running";
    static final String CONFIG = "config";
    /** Grows with each configuration given for the type: the greatest is the last one, and no clock is asked. */
    static final String CONFIGURED = "configured";

    static final String STARTS = "starts";
    static final String STOP_TIMEOUT = "stopTimeout";
    static final String REJECTED = "rejected";

    private ScopeDocument() {}

    static Scopes.State stateOf(Scope scope, ObjectNode document) {
        return new Scopes.State(
                scope,
                document.path(RUNNING).asBoolean(false),
                ScopeConfig.of(document.path(CONFIG)),
                document.path(STARTS).asLong(),
                Duration.ofMillis(Math.max(0, document.path(STOP_TIMEOUT).asLong())));
    }
}
