package io.couchjobs.couch;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.couch.ClientParts;
import io.couchjobs.engine.time.Environment;

/** Clients that live on a machine of a test. For tests of any package. */
public final class Machines {
    private Machines() {}

    /** A client with the threads and the clock of that machine, and all that uses it. */
    public static CouchServer connect(CouchConfig config, Environment machine) {
        return CouchServer.connect(config, ClientParts.of(config, machine));
    }
}
