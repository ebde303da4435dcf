package io.couchjobs.engine.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** The clock, random numbers and threads of this machine. Thread-safe. */
final class RealEnvironment implements Environment {
    /** The shortest possible sleep before Java 21. */
    private static final Duration SHORTEST_SLEEP = Duration.ofMillis(1);

    private static final Optional<ThreadCleaner> CLEANER =
            Threads.areVirtual() ? Optional.empty() : ThreadCleaner.find();

    private final Background background = new Background();

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Instant instant() {
        return Instant.now();
    }

    @Override
    public void pause(Duration duration) throws InterruptedException {
        if (duration.compareTo(SHORTEST_SLEEP) >= 0) {
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
            return;
        }
        long until = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = until - System.nanoTime()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(this, left);
        }
    }

    @Override
    public Random random() {
        return ThreadLocalRandom.current();
    }

    @Override
    public UUID uuid() {
        return UUID.randomUUID();
    }

    @Override
    public Lane lane(String name, int most) {
        return background.lane(name, most);
    }

    @Override
    public Thread thread(String name, Runnable loop) {
        Thread thread = Threads.daemon(name, loop);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        return thread;
    }

    @Override
    public void startRun(String name, ClassLoader loader, Runnable run) {
        CLEANER.ifPresentOrElse(
                cleaner -> background.execute(() -> cleaner.run(name, loader, run)),
                () -> Threads.ofHandler(name, loader, run).start());
    }

    @Override
    public <T> T join(CompletableFuture<T> future) {
        return future.join();
    }

    @Override
    public boolean await(CompletableFuture<?> future, Duration longest) throws InterruptedException {
        try {
            var unused = future.get(Environment.bounded(longest).toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException failed) {
            return true;
        } catch (TimeoutException tooLong) {
            return future.isDone();
        }
    }
}
