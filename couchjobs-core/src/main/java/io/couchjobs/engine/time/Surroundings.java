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
 * How everything that talks to a server waits, draws lots and tells how much time has passed. A simulation puts its own in
 * place of the real one, so that it can be repeated. Thread-safe.
 */
public interface Surroundings {
    /** Before Java 21 nobody sleeps for less. */
    Duration SHORTEST_SLEEP = Duration.ofMillis(1);

    /** This machine's clock, and its chance. */
    Surroundings REAL = new Surroundings() {
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

    /** {@return where lots are drawn; to be used at once, by the calling thread} */
    Random random();

    /** {@return a UUID that nobody else has} */
    UUID uuid();

    /**
     * Makes threads that live while there is something to do.
     *
     * @param name their name
     * @param most how many there are at most
     * @return what runs tasks on them; to be shut down at the end
     */
    ScheduledExecutorService threads(String name, int most);

    /**
     * Waits for what another thread does.
     *
     * @param <T> of which kind it is
     * @param future what it promised
     * @return the outcome, or what {@link CompletableFuture#join} throws
     */
    <T> T join(CompletableFuture<T> future);
}
