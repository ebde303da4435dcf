package io.couchjobs.engine.time;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background threads of a process: one timer, and as many daemon threads as tasks run at a time. A thread ends when
 * it has had nothing to do for ten seconds. Thread-safe.
 */
final class Background {
    private static final Logger log = LoggerFactory.getLogger(Background.class);
    private static final long IDLE_SECONDS = 10;

    private final ExecutorService threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> Threads.daemon("couchjobs-background", task));
    private final ScheduledThreadPoolExecutor timer = timer();

    /** Runs a task at once, outside all lanes. */
    void execute(Runnable task) {
        threads.execute(task);
    }

    Lane lane(String name, int most) {
        return new PooledLane(name, most);
    }

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(1, task -> Threads.daemon("couchjobs-timer", task));
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /** A lane whose tasks borrow the threads of the process, under the name of the lane. */
    private final class PooledLane implements Lane {
        private final String name;
        private final int most;
        /** The context class loader of the thread that made the lane. A task must not see the loader of the task before. */
        private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

        private final Deque<Runnable> due = new ArrayDeque<>();
        private final Set<PlannedTask> delayed = new HashSet<>();
        private final Set<Thread> running = new HashSet<>();
        /** The number of threads that were requested and have not found the lane empty yet. */
        private int borrowed;

        private boolean closed;

        PooledLane(String name, int most) {
            this.name = name;
            this.most = most;
        }

        @Override
        public synchronized Planned schedule(Duration pause, Runnable task) {
            PlannedTask planned = new PlannedTask(task);
            if (closed) {
                return planned;
            }
            if (pause.isZero() || pause.isNegative()) {
                add(task);
            } else {
                planned.timer =
                        timer.schedule(planned, Environment.bounded(pause).toNanos(), TimeUnit.NANOSECONDS);
                delayed.add(planned);
            }
            return planned;
        }

        @Override
        public synchronized void finish() {
            closed = true;
            List.copyOf(delayed).forEach(PlannedTask::cancel);
        }

        @Override
        public synchronized void close() {
            finish();
            due.clear();
            running.forEach(Thread::interrupt);
        }

        @Override
        public synchronized boolean isClosed() {
            return closed;
        }

        @Override
        public synchronized boolean awaitEnd(Duration longest) throws InterruptedException {
            long until = System.nanoTime() + Environment.bounded(longest).toNanos();
            for (long left = until - System.nanoTime(); borrowed > 0 && left > 0; left = until - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            return borrowed == 0;
        }

        private void add(Runnable task) {
            due.add(task);
            if (borrowed < most) {
                threads.execute(this::work);
                borrowed++;
            }
        }

        private void work() {
            Thread thread = Thread.currentThread();
            String own = thread.getName();
            thread.setName(name);
            thread.setContextClassLoader(loader);
            for (Runnable task = begin(thread); task != null; task = begin(thread)) {
                run(task);
                end(thread);
            }
            thread.setName(own);
        }

        private synchronized @Nullable Runnable begin(Thread thread) {
            Runnable task = due.poll();
            if (task == null) {
                borrowed--;
                notifyAll();
            } else {
                running.add(thread);
            }
            return task;
        }

        /** Ends a task. An interrupt by the closing of the lane must not reach the next task. */
        private synchronized void end(Thread thread) {
            running.remove(thread);
            boolean unused = Thread.interrupted();
        }

        private void run(Runnable task) {
            try {
                task.run();
            } catch (Throwable e) {
                log.error("a task of {} failed", name, e); // may be a checked exception, from code that is not Java
            }
        }

        /** A task of the lane; the timer makes it due, unless it was due from the beginning. */
        private final class PlannedTask implements Runnable, Planned {
            private final Runnable task;
            private @Nullable ScheduledFuture<?> timer;

            PlannedTask(Runnable task) {
                this.task = task;
            }

            @Override
            public void run() {
                synchronized (PooledLane.this) {
                    if (delayed.remove(this)) {
                        add(task);
                    }
                }
            }

            @Override
            public void cancel() {
                synchronized (PooledLane.this) {
                    if (delayed.remove(this) && timer != null) {
                        timer.cancel(false);
                    } else {
                        due.remove(task);
                    }
                }
            }

            @Override
            public Duration left() {
                long nanos = timer == null ? 0 : timer.getDelay(TimeUnit.NANOSECONDS);
                return Duration.ofNanos(Math.max(0, nanos));
            }
        }
    }
}
