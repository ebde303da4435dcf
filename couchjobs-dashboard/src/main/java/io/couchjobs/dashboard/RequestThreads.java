package io.couchjobs.dashboard;

import com.sun.net.httpserver.HttpHandler;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of an HTTP server: they serve a bounded number of requests at once, and others wait for their turn. The connection
 * of a client that does not send the head of a request in time is closed, so that no slow client keeps a thread. Thread-safe.
 */
final class RequestThreads implements Executor, AutoCloseable {
    private static final long KEEP_ALIVE_SECONDS = 30;
    /** The head that the calling thread reads. */
    private static final ThreadLocal<Head> HEADS = new ThreadLocal<>();

    private final ThreadPoolExecutor threads;
    private final ScheduledThreadPoolExecutor timer;
    private final Duration longest;

    /**
     * Makes threads that begin when they are needed.
     *
     * @param most how many requests are served at once
     * @param longest how long the head of a request may take to arrive, from its first byte on
     */
    RequestThreads(int most, Duration longest) {
        this.longest = longest;
        this.threads = new ThreadPoolExecutor(
                most, most, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons());
        threads.allowCoreThreadTimeOut(true);
        // A request that comes while the server stops finds its connection closed, and needs no timer.
        this.timer = new ScheduledThreadPoolExecutor(1, daemons(), new ThreadPoolExecutor.DiscardPolicy());
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void execute(Runnable request) {
        threads.execute(() -> serve(request));
    }

    /** {@return the handler, called when the head of a request has arrived} */
    HttpHandler handler(HttpHandler handler) {
        return exchange -> {
            Head head = HEADS.get();
            if (head != null) {
                head.arrived();
            }
            handler.handle(exchange);
        };
    }

    private void serve(Runnable request) {
        Head head = new Head(Thread.currentThread());
        HEADS.set(head);
        Future<?> late = timer.schedule(head::giveUp, longest.toMillis(), TimeUnit.MILLISECONDS);
        try {
            request.run();
        } finally {
            head.arrived();
            late.cancel(false);
            HEADS.remove();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        timer.shutdownNow();
    }

    private static ThreadFactory daemons() {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, "couchjobs-dashboard-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** The head of a request that a thread reads. An interrupt of a thread that reads from a channel closes the channel. */
    private static final class Head {
        private final Thread reader;
        private boolean isOver;
        private boolean isGivenUp;

        Head(Thread reader) {
            this.reader = reader;
        }

        synchronized void giveUp() {
            if (!isOver) {
                isGivenUp = true;
                reader.interrupt();
            }
        }

        /** After this, the thread is not interrupted for a slow head any more. */
        synchronized void arrived() {
            isOver = true;
            if (isGivenUp) {
                var unused = Thread.interrupted();
            }
        }
    }
}
