package io.couchjobs.cli;

import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Closes a worker on Ctrl-C: the first lets its running jobs finish, the second stops them and gives them back. */
final class Shutdown {
    private static final Duration AS_LONG_AS_IT_TAKES = Duration.ofDays(3_650);

    private final Worker worker;
    private final Consumer<String> say;
    private final AtomicInteger asked = new AtomicInteger();

    Shutdown(Worker worker, Consumer<String> say) {
        this.worker = worker;
        this.say = say;
        Interrupts.onSignal(signal -> ask());
    }

    boolean wasAsked() {
        return asked.get() > 0;
    }

    private void ask() {
        int times = asked.incrementAndGet();
        if (times == 1) {
            say.accept("couchjobs: taking no new jobs; waiting for "
                    + worker.stats().running() + " running ones, Ctrl-C again to stop them");
            close(AS_LONG_AS_IT_TAKES);
        } else if (times == 2) {
            say.accept("couchjobs: stopping the running jobs, they go back to the queue");
            close(Duration.ZERO);
        }
    }

    private void close(Duration patience) {
        Thread closer = new Thread(() -> worker.close(patience), "closer");
        closer.setDaemon(true);
        closer.start();
    }
}
