package io.couchjobs.engine.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Wakes one waiting thread. A signal that comes before the thread waits is not lost. Thread-safe. */
public final class Signal {
    private final Environment environment;
    private CompletableFuture<Void> given = new CompletableFuture<>();

    public Signal(Environment environment) {
        this.environment = environment;
    }

    public synchronized void give() {
        given.complete(null);
    }

    /** Waits for a signal, for a limited time, and uses the signal up. Returns false when there was none. */
    public boolean await(Duration longest) throws InterruptedException {
        boolean isGiven = environment.await(present(), longest);
        if (isGiven) {
            useUp();
        }
        return isGiven;
    }

    private synchronized CompletableFuture<Void> present() {
        return given;
    }

    private synchronized void useUp() {
        given = new CompletableFuture<>();
    }
}
