package io.couchjobs.cli;

/**
 * The work of a command at its end, also when a signal ends it. A second signal ends the process without waiting for it.
 * Thread-safe.
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

    /** Does it now, unless it was done already. */
    void run() {
        doOnce();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException exiting) {
            // it runs already, and has nothing left to do
        }
    }

    private synchronized void doOnce() {
        if (!isDone) {
            isDone = true;
            task.run();
        }
    }
}
