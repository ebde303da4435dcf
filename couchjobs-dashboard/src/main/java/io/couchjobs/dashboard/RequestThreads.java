package io.couchjobs.dashboard;

import com.sun.net.httpserver.HttpHandler;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads of an HTTP server. They serve a bounded number of requests at once; further requests wait. When a client does not
 * send the head or the body of a request in time, its connection is closed, so that no slow client occupies a thread. The time of
 * handlers is not limited. Thread-safe.
 */
final class RequestThreads implements Executor, AutoCloseable {
    private static final long KEEP_ALIVE_SECONDS = 30;

    /** The reading of the calling thread. */
    private final ThreadLocal<Reading> readings = ThreadLocal.withInitial(Reading::new);

    private final ThreadPoolExecutor threads;
    private final ScheduledThreadPoolExecutor timer;
    private final Duration longest;

    /**
     * Creates an executor whose threads start when they are needed.
     *
     * @param most the largest number of requests that are served at once
     * @param longest how long the head of a request may take to arrive, from its first byte on, and how long its body
     */
    RequestThreads(int most, Duration longest) {
        this.longest = longest;
        this.threads = new ThreadPoolExecutor(
                most, most, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons());
        threads.allowCoreThreadTimeOut(true);
        // Discards timers while the server stops: the connections are closed then.
        this.timer = new ScheduledThreadPoolExecutor(1, daemons(), new ThreadPoolExecutor.DiscardPolicy());
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void execute(Runnable request) {
        threads.execute(() -> serve(request));
    }

    /**
     * Wraps a handler, which is called when the head of a request has arrived. The handler must leave the exchange open:
     * afterwards, the rest of the body is read and the exchange is closed.
     */
    HttpHandler handler(HttpHandler handler) {
        return exchange -> {
            Reading reading = readings.get();
            reading.end();
            reading.leftNanos = longest.toNanos();
            exchange.setStreams(new Body(exchange.getRequestBody(), reading), null);
            try {
                handler.handle(exchange);
            } finally {
                reading.begin();
                exchange.close();
                reading.end();
            }
        };
    }

    private void serve(Runnable request) {
        Reading head = readings.get();
        head.begin();
        try {
            request.run();
        } finally {
            head.end();
            readings.remove();
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

    /**
     * Limits the time in which a thread reads a request. When the time is over, it interrupts the thread, which closes the
     * channel that the thread reads from.
     */
    private final class Reading {
        private final Thread reader = Thread.currentThread();
        private long leftNanos = longest.toNanos();
        private long begun;
        private @Nullable Future<?> late;
        private boolean isGivenUp;

        synchronized void begin() {
            begun = System.nanoTime();
            late = timer.schedule(this::giveUp, Math.max(0, leftNanos), TimeUnit.NANOSECONDS);
        }

        private synchronized void giveUp() {
            if (late != null) {
                isGivenUp = true;
                reader.interrupt();
            }
        }

        /** Stops the clock. The thread is not interrupted until it reads again. */
        synchronized void end() {
            if (late != null) {
                leftNanos -= System.nanoTime() - begun;
                late.cancel(false);
                late = null;
            }
            if (isGivenUp) {
                isGivenUp = false;
                var unused = Thread.interrupted();
            }
        }
    }

    /** The body of a request. The time of each read counts towards the limit. */
    private static final class Body extends FilterInputStream {
        private final Reading reading;

        Body(InputStream in, Reading reading) {
            super(in);
            this.reading = reading;
        }

        @Override
        public int read() throws IOException {
            reading.begin();
            try {
                return in.read();
            } finally {
                reading.end();
            }
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            reading.begin();
            try {
                return in.read(bytes, offset, length);
            } finally {
                reading.end();
            }
        }

        @Override
        public void close() throws IOException {
            reading.begin();
            try {
                in.close();
            } finally {
                reading.end();
            }
        }
    }
}
