package io.couchjobs.engine.time;

import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The pauses, random numbers and elapsed time of all code that talks to a server. A simulation replaces the real ones
 * by its own, so that it can be repeated. Thread-safe.
 */
public interface Environment {
    /** Before Java 21 a sleep cannot be shorter. */
    Duration SHORTEST_SLEEP = Duration.ofMillis(1);

    /** This machine's clock and its random numbers. */
    Environment REAL = new Environment() {
        @Override
        public long nanos() {
            return System.nanoTime();
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
        public ScheduledExecutorService threads(String name, int most) {
            ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(most, task -> {
                Thread thread = new Thread(task, name);
                thread.setDaemon(true);
                return thread;
            });
            threads.setKeepAliveTime(10, TimeUnit.SECONDS);
            threads.allowCoreThreadTimeOut(true);
            threads.setRemoveOnCancelPolicy(true);
            return threads;
        }

        @Override
        public <T> T join(CompletableFuture<T> future) {
            return future.join();
        }
    };

    /** {@return nanoseconds on a monotonic clock with an arbitrary origin} */
    long nanos();

    /**
     * Waits.
     *
     * @param duration how long
     * @throws InterruptedException when interrupted meanwhile
     */
    void pause(Duration duration) throws InterruptedException;

    /** {@return the source of random numbers; to be used at once, by the calling thread} */
    Random random();

    /** {@return a unique UUID} */
    UUID uuid();

    /**
     * Makes threads that live while there are tasks.
     *
     * @param name their name
     * @param most how many there are at most
     * @return the executor of tasks on them; to be shut down at the end
     */
    ScheduledExecutorService threads(String name, int most);

    /**
     * Waits for what another thread does.
     *
     * @param <T> the type of the outcome
     * @param future the outcome of the other thread
     * @return the outcome; throws as {@link CompletableFuture#join} does
     */
    <T> T join(CompletableFuture<T> future);
}
