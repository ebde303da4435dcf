package io.couchjobs.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A process and its descendants, which are stopped together so that a script's children do not outlive the script. */
final class ProcessTree {
    private final ProcessHandle root;

    ProcessTree(ProcessHandle root) {
        this.root = root;
    }

    /**
     * Sends TERM to all processes. Sends KILL to the remaining processes after the grace period, or as soon as this thread is
     * interrupted.
     */
    void stop(Duration grace) {
        List<ProcessHandle> all = members();
        all.forEach(ProcessHandle::destroy);
        try {
            await(all, grace);
        } finally {
            List<ProcessHandle> left = members();
            left.addAll(all);
            left.forEach(ProcessHandle::destroyForcibly);
        }
    }

    private List<ProcessHandle> members() {
        List<ProcessHandle> members = new ArrayList<>();
        members.add(root);
        root.descendants().forEach(members::add);
        return members;
    }

    private static void await(List<ProcessHandle> processes, Duration grace) {
        CompletableFuture<?>[] exits =
                processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(exits).get(grace.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException stillThere) {
            // the caller kills the remaining processes
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }
}
