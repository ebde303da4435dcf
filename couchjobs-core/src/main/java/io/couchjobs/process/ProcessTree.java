package io.couchjobs.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A process and all that it started: a script's children are not to outlive the script. */
final class ProcessTree {
    private final ProcessHandle root;

    ProcessTree(ProcessHandle root) {
        this.root = root;
    }

    /**
     * TERM to all, then KILL to those that are left after the grace period, or when this thread is interrupted again.
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
            // the caller kills what is left
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }
}
