package io.couchjobs.couch;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What a client reaches the world through; tests put others in their place.
 *
 * @param transport carries its requests; closed with the client
 * @param retries pauses and repeats
 * @param nanos the monotonic clock
 */
record Means(Transport transport, Retries retries, LongSupplier nanos) {

    static Means of(CouchConfig config) {
        return of(config, pause -> TimeUnit.NANOSECONDS.sleep(pause.toNanos()));
    }

    static Means of(CouchConfig config, Retries.Pause pause) {
        return new Means(new Pools(config), new Retries(pause), System::nanoTime);
    }
}
