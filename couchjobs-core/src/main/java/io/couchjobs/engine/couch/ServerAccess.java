package io.couchjobs.engine.couch;

import io.couchjobs.engine.time.Environment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the engine access to the transport of a {@code CouchServer}. {@code CouchServer} is exported, so its signatures must
 * not name types of the engine. Its static initializer registers here how its transport is found.
 */
public final class ServerAccess {
    private static volatile @Nullable Function<Object, Http> finder;

    private ServerAccess() {}

    public static void findBy(Function<Object, Http> transportOf) {
        finder = transportOf;
    }

    /** Returns the transport of a {@code CouchServer}. */
    public static Http http(Object server) {
        Function<Object, Http> found = finder;
        if (found == null) {
            throw new IllegalStateException("no CouchServer was made yet");
        }
        return found.apply(server);
    }

    /** Returns the source of time, threads and randomness of a {@code CouchServer}. */
    public static Environment environment(Object server) {
        return http(server).environment();
    }
}
