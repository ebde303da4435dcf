package io.couchjobs.cli;

import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Closes a worker on Ctrl-C. The first one lets the running jobs finish. The second one stops them and gives them back, as far as
 * time allows before {@link Interrupts} ends the process.
 */
final class Shutdown {
    private static final Duration AS_LONG_AS_IT_TAKES = Duration.ofDays(3_650);

    private final Worker worker;
    private final Consumer<String> say;
    private final AtomicInteger asked = new AtomicInteger();
    private final List<Thread> closers = new ArrayList<>();
    private boolean over;
    private volatile long haltedBefore = Long.MAX_VALUE;
    private volatile boolean stopped;

    Shutdown(Worker worker, Consumer<String> say) {
        this.worker = worker;
        this.say = say;
        Interrupts.onSignal(signal -> ask());
    }

    /** Whether it was asked to close, and jobs that ran then were stopped or lost. */
    boolean leftWorkUndone() {
        return stopped || worker.stats().halted() > haltedBefore;
    }

    private void ask() {
        int times = asked.incrementAndGet();
        if (times == 1) {
            haltedBefore = worker.stats().halted();
            say.accept("couchjobs: taking no new jobs; waiting for "
                    + Counted.of(worker.stats().running(), "running job") + "; Ctrl-C again stops them");
            close(AS_LONG_AS_IT_TAKES);
        } else if (times == 2) {
            stopped = worker.stats().running() > 0;
            say.accept(
                    "couchjobs: stopping the running jobs, they go back to the queue; what cannot be given back within 5 s"
                            + " runs again when its lease is over");
            close(Duration.ZERO);
        }
    }

    /** Waits until nothing it began closes the worker any more, which needs the queue; from here on it begins nothing. */
    void awaitClosed() throws InterruptedException {
        for (Thread closer : closersAtTheEnd()) {
            closer.join();
        }
    }

    private synchronized List<Thread> closersAtTheEnd() {
        over = true;
        return List.copyOf(closers);
    }

    private synchronized void close(Duration patience) {
        if (over) {
            return;
        }
        Thread closer = new Thread(() -> worker.close(patience), "closer");
        closer.setDaemon(true);
        closers.add(closer);
        closer.start();
    }
}
