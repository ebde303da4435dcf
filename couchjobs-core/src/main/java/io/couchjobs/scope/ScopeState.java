package io.couchjobs.scope;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;

/**
 * A scope as its document says it is. Immutable and thread-safe.
 *
 * @param scope the scope
 * @param isRunning whether it takes jobs
 * @param config its configuration, of the last start
 * @param starts how often it was started
 * @param stopTimeout how long running jobs may go on after the last stop
 */
public record ScopeState(Scope scope, boolean isRunning, ScopeConfig config, long starts, Duration stopTimeout) {
    static final String RUNNING = "running";
    static final String CONFIG = "config";
    /** Grows with each configuration given for the type: the greatest is the last one, and no clock is asked. */
    static final String CONFIGURED = "configured";

    static final String STARTS = "starts";
    static final String STOP_TIMEOUT = "stopTimeout";
    static final String REJECTED = "rejected";

    static ScopeState of(Scope scope, ObjectNode document) {
        return new ScopeState(
                scope,
                document.path(RUNNING).asBoolean(false),
                ScopeConfig.of(document.path(CONFIG)),
                document.path(STARTS).asLong(),
                Duration.ofMillis(Math.max(0, document.path(STOP_TIMEOUT).asLong())));
    }
}
