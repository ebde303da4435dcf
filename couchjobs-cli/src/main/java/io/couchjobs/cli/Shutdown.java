package io.couchjobs.cli;

import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Closes a worker on Ctrl-C. The first Ctrl-C lets the running jobs finish. The second one stops the jobs and gives them back, as
 * far as time allows before {@link Interrupts} ends the process.
 */
final class Shutdown {
    private static final Duration AS_LONG_AS_IT_TAKES = Duration.ofDays(3_650);

    private final Consumer<String> say;
    private final List<Thread> closers = new ArrayList<>();
    private @Nullable Worker worker;
    private boolean startFailed;
    private int asked;
    private boolean over;
    private long haltedBefore = Long.MAX_VALUE;
    private boolean stopped;

    Shutdown(Consumer<String> say) {
        this.say = say;
    }

    static Shutdown onSignals(Consumer<String> say) {
        Shutdown shutdown = new Shutdown(say);
        Interrupts.onSignal(signal -> shutdown.ask());
        return shutdown;
    }

    /**
     * Starts the worker. The worker may claim jobs before this method returns, so a signal during the start closes the worker
     * afterwards.
     */
    Worker start(WorkerBuilder builder) {
        Worker started;
        try {
            started = builder.start();
        } catch (RuntimeException | Error e) {
            noWorkerComes();
            throw e;
        }
        closes(started);
        return started;
    }

    private synchronized void noWorkerComes() {
        startFailed = true;
    }

    private synchronized void closes(Worker started) {
        worker = started;
        if (asked == 1) {
            drain(started);
        } else if (asked > 1) {
            stop(started);
        }
    }

    /** Returns whether a signal came, and jobs that ran then were stopped or lost. */
    synchronized boolean leftWorkUndone() {
        return stopped || (worker != null && worker.stats().halted() > haltedBefore);
    }

    synchronized void ask() {
        asked++;
        if (worker == null) {
            sayWithoutWorker();
        } else if (asked == 1) {
            drain(worker);
        } else if (asked == 2) {
            stop(worker);
        }
    }

    private void sayWithoutWorker() {
        if (asked == 1) {
            String when = startFailed ? "ending, the worker could not start" : "stopping when the worker has started";
            say.accept("couchjobs: " + when + "; Ctrl-C again ends it within 5 s");
        } else if (asked == 2) {
            say.accept("couchjobs: ending within 5 s");
        }
    }

    private void drain(Worker started) {
        haltedBefore = started.stats().halted();
        say.accept("couchjobs: taking no new jobs; waiting for "
                + Counted.of(started.stats().running(), "running job") + "; Ctrl-C again stops them");
        close(started, AS_LONG_AS_IT_TAKES);
    }

    private void stop(Worker started) {
        stopped = started.stats().running() > 0;
        say.accept(
                "couchjobs: stopping the running jobs, they go back to the queue; what cannot be given back within 5 s"
                        + " runs again when its lease is over");
        close(started, Duration.ZERO);
    }

    /** Waits for the threads that close the worker, because they need the queue. From now on, a signal starts no such thread. */
    void awaitClosed() throws InterruptedException {
        for (Thread closer : closersAtTheEnd()) {
            closer.join();
        }
    }

    private synchronized List<Thread> closersAtTheEnd() {
        over = true;
        return List.copyOf(closers);
    }

    private void close(Worker started, Duration patience) {
        if (over) {
            return;
        }
        Thread closer = new Thread(() -> started.close(patience), "closer");
        closer.setDaemon(true);
        closers.add(closer);
        closer.start();
    }
}
