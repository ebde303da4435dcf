package io.couchjobs.couch;

import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** A machine that has no thread for some pools while the test says so. For tests of any package. */
public final class ThreadShortage implements Surroundings {
    private final AtomicInteger refused = new AtomicInteger();
    private volatile String pools = "none";

    /** As the JVM tells it, but for the class: with an OutOfMemoryError JUnit would end all tests. */
    public static Error error() {
        return new Error("unable to create native thread");
    }

    /** From now on pools with such a name cannot start a thread; those that they have go on. */
    public void begin(String name) {
        pools = name;
    }

    public void end() {
        pools = "none";
    }

    /** How many threads could not be started so far. */
    public int refused() {
        return refused.get();
    }

    /** A client that lives here, and all that uses it. */
    public CouchServer connect(CouchConfig config) {
        Means real = Means.of(config);
        return CouchServer.connect(
                config,
                new Means(real.transport(), real.retries(), real.nanos(), real.random(), real.background(), this));
    }

    /** The pool keeps a task for which it finds no thread: it fails after it has put it into its queue. */
    @Override
    public ScheduledExecutorService threads(String name, int most) {
        ScheduledThreadPoolExecutor threads = (ScheduledThreadPoolExecutor) REAL.threads(name, most);
        ThreadFactory real = threads.getThreadFactory();
        threads.setThreadFactory(task -> {
            if (name.startsWith(pools)) {
                refused.incrementAndGet();
                throw error();
            }
            return real.newThread(task);
        });
        return threads;
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
