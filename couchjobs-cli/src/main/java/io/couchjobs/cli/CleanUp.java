package io.couchjobs.cli;

/**
 * The clean-up at the end of a command, also when a signal ends the command. A second signal ends the process without waiting for
 * the clean-up. Thread-safe.
 */
final class CleanUp {
    private final Runnable task;
    private final Thread hook;
    private boolean isDone;

    private CleanUp(String name, Runnable task) {
        this.task = task;
        this.hook = new Thread(this::doOnce, name);
    }

    static CleanUp atEnd(String name, Runnable task) {
        Interrupts.onSignal(signal -> System.exit(ExitCode.INTERRUPTED.number()));
        CleanUp cleanUp = new CleanUp(name, task);
        Runtime.getRuntime().addShutdownHook(cleanUp.hook);
        return cleanUp;
    }

    /** Cleans up now, unless that was done already. */
    void run() {
        doOnce();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException exiting) {
            // the hook runs already, and finds nothing left to do
        }
    }

    private synchronized void doOnce() {
        if (!isDone) {
            isDone = true;
            task.run();
        }
    }
}
