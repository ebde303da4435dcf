package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.util.concurrent.Executor;

/**
 * A client's means to reach the world; tests replace them. The transport is closed with the client.
 *
 * @param background runs background tasks; never in the calling thread, unless no task can block
 * @param environment for the client and all its users
 */
public record ClientParts(Transport transport, Executor background, Environment environment) {
    /** A node that does not answer must not keep the others waiting. */
    private static final int PROBES = 16;

    public static ClientParts of(CouchConfig config, Environment environment) {
        Lane background = environment.lane("couch-probe", PROBES);
        return new ClientParts(new Pools(config, background), background, environment);
    }
}
