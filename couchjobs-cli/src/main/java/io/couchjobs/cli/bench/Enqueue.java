package io.couchjobs.cli.bench;

import io.couchjobs.JobQueue;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Adds jobs, in bulk or one by one from many threads. */
record Enqueue(OwnDatabases databases, Payload payload, int jobs) {
    private static final int AT_ONCE = 2_000;

    double bulk() {
        JobQueue queue = databases.queue();
        try {
            List<JobRequest> requests = requests(jobs);
            long started = System.nanoTime();
            addAll(queue, requests);
            return jobs / Time.secondsSince(started);
        } finally {
            databases.drop(queue);
        }
    }

    double threads() throws InterruptedException {
        return byThreads((queue, count) -> {
            for (int i = 0; i < count; i++) {
                queue.add(payload.job());
            }
        });
    }

    double async() throws InterruptedException {
        return byThreads((queue, count) -> {
            List<CompletableFuture<AddResult>> adding = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                adding.add(queue.addAsync(payload.job()));
            }
            requireAdded(adding.stream().map(CompletableFuture::join).toList());
        });
    }

    /** The work of each thread. */
    private interface Adding {
        void add(JobQueue queue, int count);
    }

    private double byThreads(Adding adding) throws InterruptedException {
        JobQueue queue = databases.queue();
        ExecutorService threads = Executors.newFixedThreadPool(Plan.THREADS);
        try {
            int each = Math.max(1, jobs / Plan.THREADS);
            List<Callable<Void>> all = Collections.nCopies(Plan.THREADS, () -> {
                adding.add(queue, each);
                return null;
            });
            long started = System.nanoTime();
            for (Future<Void> one : threads.invokeAll(all)) {
                one.get();
            }
            return each * Plan.THREADS / Time.secondsSince(started);
        } catch (ExecutionException e) {
            throw new IllegalStateException("adding failed: " + e.getMessage(), e);
        } finally {
            threads.shutdownNow();
            databases.drop(queue);
        }
    }

    /** Adds jobs to a queue, in batches as large as a careful program would make them. */
    static void addAll(JobQueue queue, List<JobRequest> requests) {
        for (int from = 0; from < requests.size(); from += AT_ONCE) {
            requireAdded(queue.addAll(requests.subList(from, Math.min(requests.size(), from + AT_ONCE))));
        }
    }

    private static void requireAdded(List<AddResult> results) {
        if (results.stream().anyMatch(result -> result.outcome() != AddResult.Outcome.ADDED)) {
            throw new IllegalStateException("the queue did not add all jobs");
        }
    }

    private List<JobRequest> requests(int count) {
        List<JobRequest> requests = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            requests.add(payload.job());
        }
        return requests;
    }
}
