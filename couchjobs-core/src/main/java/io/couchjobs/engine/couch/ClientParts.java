package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.util.concurrent.Executor;

/**
 * The external dependencies of a client, which tests replace. The client closes the transport when it is closed.
 *
 * @param background runs background tasks; must not run them in the calling thread, unless no task can block
 * @param environment the time, threads and randomness of the client and all its users
 */
public record ClientParts(Transport transport, Executor background, Environment environment) {
    /** The maximum number of concurrent probes, so that a node that does not answer does not delay the probes of other nodes. */
    private static final int PROBES = 16;

    public static ClientParts of(CouchConfig config, Environment environment) {
        Lane background = environment.lane("couch-probe", PROBES);
        return new ClientParts(new Pools(config, background), background, environment);
    }
}
