package io.couchjobs.embedded.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An agenda that keeps to the real time, with a thread of its own. Thread-safe. */
public final class RealTime implements Agenda, Waiter, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RealTime.class);

    private final long begin = System.nanoTime();
    private final ScheduledThreadPoolExecutor loop = new ScheduledThreadPoolExecutor(
            1,
            task -> {
                Thread thread = new Thread(task, "embedded-couch-cluster");
                thread.setDaemon(true);
                return thread;
            },
            new ThreadPoolExecutor.DiscardPolicy());

    @Override
    public long now() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin);
    }

    @Override
    public void after(long micros, Runnable task) {
        Future<?> unused = loop.schedule(() -> run(task), micros, TimeUnit.MICROSECONDS);
    }

    /** One thing that goes wrong must not keep the others from happening. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("a step of the simulated cluster failed and is left out", e);
        }
    }

    @Override
    public <T> T ask(Consumer<Consumer<T>> question) throws InterruptedException {
        CompletableFuture<T> answer = new CompletableFuture<>();
        after(0, () -> {
            try {
                question.accept(answer::complete);
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        try {
            return answer.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException trouble) {
                throw trouble;
            }
            throw new IllegalStateException(e);
        }
    }

    /** Leaves undone what has not been done yet. */
    @Override
    public void close() {
        loop.shutdownNow();
    }
}
