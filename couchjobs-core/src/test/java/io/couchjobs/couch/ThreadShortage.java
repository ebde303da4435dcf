package io.couchjobs.couch;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.couch.Means;
import io.couchjobs.engine.time.Surroundings;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A machine that has no thread for some pools while the test says so. For tests of any package. */
public final class ThreadShortage implements Surroundings {
    private final AtomicInteger refused = new AtomicInteger();
    private volatile String pools = "none";
    private volatile String stalled = "none";
    private volatile String kept = "none";

    /** As the JVM tells it, but for the class: with an OutOfMemoryError JUnit would end all tests. */
    public static Error error() {
        return new Error("unable to create native thread");
    }

    /** From now on pools with such a name cannot start a thread; those that they have go on. */
    public void begin(String name) {
        pools = name;
    }

    /** From now on pools with such a name take nothing that is to be done later; what is to be done at once they do. */
    public void stall(String name) {
        stalled = name;
    }

    /** From now on pools with such a name cannot be shut down. */
    public void keep(String name) {
        kept = name;
    }

    public void end() {
        pools = "none";
        stalled = "none";
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
        ScheduledThreadPoolExecutor model = (ScheduledThreadPoolExecutor) REAL.threads(name, most);
        ThreadFactory real = model.getThreadFactory();
        ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(most) {
            @Override
            public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                if (delay > 0 && name.startsWith(stalled)) {
                    refused.incrementAndGet();
                    throw error();
                }
                return super.schedule(task, delay, unit);
            }

            @Override
            public void shutdown() {
                super.shutdown();
                if (name.startsWith(kept)) {
                    throw new IllegalStateException("cannot be shut down");
                }
            }
        };
        threads.setKeepAliveTime(model.getKeepAliveTime(TimeUnit.NANOSECONDS), TimeUnit.NANOSECONDS);
        threads.allowCoreThreadTimeOut(true);
        threads.setRemoveOnCancelPolicy(true);
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
