package io.couchjobs.scope;

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
public record ScopeState(Scope scope, boolean isRunning, ScopeConfig config, long starts, Duration stopTimeout) {}
