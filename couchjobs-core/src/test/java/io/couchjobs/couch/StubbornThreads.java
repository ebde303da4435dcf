package io.couchjobs.couch;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.couch.ClientParts;
import io.couchjobs.engine.time.Environment;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Threads of one name cannot be shut down. For tests of any package. */
public final class StubbornThreads implements Environment {
    private final String stubborn;

    public StubbornThreads(String name) {
        this.stubborn = name;
    }

    /** A client that lives here, and all that uses it. */
    public CouchServer connect(CouchConfig config) {
        ClientParts real = ClientParts.of(config);
        return CouchServer.connect(
                config,
                new ClientParts(
                        real.transport(), real.retries(), real.nanos(), real.random(), real.background(), this));
    }

    @Override
    public ScheduledExecutorService threads(String name, int most) {
        if (!name.equals(stubborn)) {
            return REAL.threads(name, most);
        }
        return new ScheduledThreadPoolExecutor(most) {
            @Override
            public void shutdown() {
                super.shutdown();
                throw new IllegalStateException("cannot be shut down");
            }
        };
    }

    @Override
    public long nanos() {
        return REAL.nanos();
    }

    @Override
    public void pause(Duration duration) throws InterruptedException {
        REAL.pause(duration);
    }

    @Override
    public Random random() {
        return REAL.random();
    }

    @Override
    public UUID uuid() {
        return REAL.uuid();
    }

    @Override
    public <T> T join(CompletableFuture<T> future) {
        return REAL.join(future);
    }
}
