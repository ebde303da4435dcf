package io.couchjobs.scope;

import java.time.Duration;
import java.util.Set;

/**
 * Serves the scopes of a type in this process: those that run, and those that are started later, by whichever process. Thread-safe;
 * made by {@link Scopes#serve}.
 *
 * <p>It believes no event: what it does follows from the scope's document as it is when it looks. It outlives every trouble:
 * while the database is away it tries again with growing pauses.
 */
public interface ScopeHost extends AutoCloseable {
    /** {@return the scopes that it serves now} */
    Set<Scope> scopes();

    /** Closes with the default time: 30 s. */
    @Override
    void close();

    /**
     * Serves nothing any more. The scopes keep running, as far as they are concerned: running jobs may finish, those
     * that have not when the time is over go back to waiting, and all run on where a scope is served next. When the
     * caller is interrupted the time is over at once. Closing twice does nothing.
     *
     * @param timeout how long the running jobs may take
     */
    void close(Duration timeout);
}
