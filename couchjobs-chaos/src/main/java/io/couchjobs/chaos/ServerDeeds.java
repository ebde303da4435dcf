package io.couchjobs.chaos;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Performs the faults of servers one after another, in a separate thread because some take seconds. Not thread-safe. */
final class ServerDeeds implements AutoCloseable {
    private final Server server;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final List<String> failures = new CopyOnWriteArrayList<>();

    ServerDeeds(Server server) {
        this.server = server;
    }

    void perform(boolean isBegin, Plan.Step step) {
        thread.execute(() -> {
            try {
                if (isBegin) {
                    server.begin(step.fault(), step.target());
                } else {
                    server.end(step.fault(), step.target());
                }
            } catch (IOException e) {
                String failure = step + " could not be " + (isBegin ? "done" : "undone") + ": " + e.getMessage();
                System.err.println(failure);
                failures.add(failure);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Returns the faults that could not be done or undone. A run without its faults proves nothing. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Waits until all faults have been performed. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(5, TimeUnit.MINUTES)) {
                throw new IllegalStateException("a command for a server does not come to an end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
