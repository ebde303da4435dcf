package io.couchjobs.engine.watch;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.NotFoundException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

/** Follows a job through every revision that the feed brings, until it meets a condition. Thread-safe. */
final class Awaited extends Follower {
    private final Predicate<Job> wanted;
    private final CompletableFuture<Job> result = new CompletableFuture<>();

    Awaited(JobId id, Predicate<Job> wanted) {
        super(id, new Object());
        this.wanted = wanted;
    }

    /** Returns the job when it meets the condition; empty when the time is over. */
    Optional<Job> get(Environment environment, Duration timeout) throws InterruptedException {
        try {
            return environment.await(result, timeout) ? Optional.of(result.join()) : Optional.empty();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException trouble ? trouble : new CouchJobsException("cannot wait", e);
        }
    }

    @Override
    void opened(Snapshot first) {
        told(first);
    }

    @Override
    void told(Snapshot news) {
        news.job()
                .ifPresentOrElse(
                        job -> {
                            if (wanted.test(job)) {
                                result.complete(job);
                            }
                        },
                        () -> result.completeExceptionally(new NotFoundException(jobId())));
    }

    @Override
    void stop() {
        result.completeExceptionally(new CouchJobsException("the queue was closed while waiting for " + jobId()));
    }
}
