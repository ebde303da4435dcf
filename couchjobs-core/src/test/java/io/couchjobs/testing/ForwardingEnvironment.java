package io.couchjobs.testing;

import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The environment of this machine, for tests that replace a part of it. Thread-safe. */
public abstract class ForwardingEnvironment implements Environment {
    @Override
    public long nanos() {
        return REAL.nanos();
    }

    @Override
    public Instant instant() {
        return REAL.instant();
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
    public Lane lane(String name, int most) {
        return REAL.lane(name, most);
    }

    @Override
    public Thread thread(String name, Runnable loop) {
        return REAL.thread(name, loop);
    }

    @Override
    public void startRun(String name, ClassLoader loader, Runnable run) {
        REAL.startRun(name, loader, run);
    }

    @Override
    public <T> T join(CompletableFuture<T> future) {
        return REAL.join(future);
    }

    @Override
    public boolean await(CompletableFuture<?> future, Duration longest) throws InterruptedException {
        return REAL.await(future, longest);
    }
}
