package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * A client's means to reach the world; tests replace them. The transport is closed with the client.
 *
 * @param random decides which node is asked, and how long one is left alone
 * @param background runs background tasks; never in the calling thread, unless no task can block
 * @param environment for all users of the client
 */
public record ClientParts(
        Transport transport,
        Retries retries,
        LongSupplier nanos,
        RandomGenerator random,
        Executor background,
        Environment environment) {
    /** A node that does not answer must not keep the others waiting. */
    private static final int PROBES = 16;

    public ClientParts(
            Transport transport, Retries retries, LongSupplier nanos, RandomGenerator random, Executor background) {
        this(transport, retries, nanos, random, background, Environment.REAL);
    }

    public static ClientParts of(CouchConfig config) {
        return of(config, Environment.REAL::pause);
    }

    public static ClientParts of(CouchConfig config, Retries.Pause pause) {
        Lane background = Environment.REAL.lane("couch-probe", PROBES);
        return new ClientParts(
                new Pools(config, background), new Retries(pause), Environment.REAL::nanos, anyThreads(), background);
    }

    /** A generator that any thread may use. */
    private static RandomGenerator anyThreads() {
        return () -> Environment.REAL.random().nextLong();
    }
}
