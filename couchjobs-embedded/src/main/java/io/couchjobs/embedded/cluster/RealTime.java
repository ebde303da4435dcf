package io.couchjobs.embedded.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An agenda in real time, with its own thread. Thread-safe. */
public final class RealTime implements Agenda, Waiter, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RealTime.class);

    /** The tasks that fail the questions that are not answered yet. */
    private final Set<Runnable> refusals = ConcurrentHashMap.newKeySet();

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

    /** Runs a task. A failure is logged and does not stop the other tasks. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("a step of the simulated cluster failed and is left out", e);
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws UncheckedIOException when the agenda is closed before there is an answer
     */
    @Override
    public <T> T ask(Consumer<Consumer<T>> question) throws InterruptedException {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Runnable refusal = () -> refuse(answer);
        refusals.add(refusal);
        after(0, () -> {
            try {
                question.accept(answer::complete);
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        if (loop.isShutdown()) {
            refusal.run(); // close may have run all refusals before this one was added
        }
        try {
            return answer.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException trouble) {
                throw trouble;
            }
            if (e.getCause() instanceof Error trouble) {
                throw trouble;
            }
            throw new IllegalStateException(e);
        } finally {
            refusals.remove(refusal);
        }
    }

    private static void refuse(CompletableFuture<?> answer) {
        answer.completeExceptionally(new UncheckedIOException(new IOException("The simulated cluster is closed.")));
    }

    /** Drops the remaining tasks, and fails the questions that are not answered yet. */
    @Override
    public void close() {
        loop.shutdownNow();
        refusals.forEach(Runnable::run);
    }
}
