package io.couchjobs.engine.create;

import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Adds jobs without making their creators wait for the answers. Jobs added while a request is in flight go with the
 * next request, so requests become as large as is efficient. Creators wait only when they add faster than the server
 * stores, so that the jobs in flight stay bounded. Thread-safe.
 */
public final class AsyncCreator implements AutoCloseable {
    /** The limit of all jobs in flight together, in characters; a larger job goes alone. */
    private static final long MOST_CHARACTERS = 16_000_000;
    /** The rough size of a job besides its data; so at most 16,000 jobs are in flight. */
    private static final int BESIDE_DATA = 1_000;

    private static final int THREADS = 4;

    private final Creator creator;
    private final Environment environment;
    private final Lane finishers;
    private final ThreadLocal<Boolean> tells = ThreadLocal.withInitial(() -> false);
    private final Object lock = new Object();
    // The lock guards the fields below.
    private CompletableFuture<Void> room = new CompletableFuture<>();
    private long onTheirWay;
    private boolean closed;

    public AsyncCreator(JobStore store, Creator creator) {
        this.creator = creator;
        this.environment = store.environment();
        this.finishers = environment.lane("couchjobs-adder", THREADS);
    }

    /**
     * Adds one job as {@link Creator#addOne} does.
     *
     * @return the result, once the database has confirmed the job, or the failure; completed in a lane of this creator
     * @throws IllegalStateException when the queue is closed
     */
    public CompletableFuture<AddResult> add(JobRequest request) {
        long length = request.dataLength() + BESIDE_DATA;
        enter(request.id(), length);
        CompletableFuture<AddResult> result = new CompletableFuture<>();
        try {
            Creator.Begun begun = creator.begin(request);
            var unused = begun.write()
                    .whenComplete((written, trouble) -> finishers.execute(() -> finish(begun, length, result)));
        } catch (RuntimeException | Error refused) {
            leave(length);
            throw refused;
        }
        return result;
    }

    /** Waits for the jobs in flight, as long as the requests take. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
        }
        for (Optional<CompletableFuture<Void>> change = unlessEmpty(); change.isPresent(); change = unlessEmpty()) {
            environment.join(change.get());
        }
        finishers.finish();
    }

    private Optional<CompletableFuture<Void>> unlessEmpty() {
        synchronized (lock) {
            return onTheirWay == 0 ? Optional.empty() : Optional.of(room);
        }
    }

    /**
     * Completes the result of a job. The receiver of the result may add more jobs on this thread. That must not wait
     * for room, because these threads make the room.
     */
    private void finish(Creator.Begun begun, long length, CompletableFuture<AddResult> result) {
        tells.set(true);
        try {
            AddResult added = creator.end(begun);
            leave(length);
            result.complete(added);
        } catch (RuntimeException | Error trouble) {
            leave(length);
            result.completeExceptionally(trouble);
        } finally {
            tells.remove();
        }
    }

    private void enter(JobId id, long length) {
        for (Optional<CompletableFuture<Void>> full = unlessEntered(id, length);
                full.isPresent();
                full = unlessEntered(id, length)) {
            environment.join(full.get());
        }
    }

    private Optional<CompletableFuture<Void>> unlessEntered(JobId id, long length) {
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("the queue is closed; " + id + " not written");
            }
            if (onTheirWay > 0 && onTheirWay + length > MOST_CHARACTERS && !tells.get()) {
                return Optional.of(room);
            }
            onTheirWay += length;
            return Optional.empty();
        }
    }

    /**
     * Makes room. Wakes waiting creators only when half of the room is free: woken one by one, they would make small
     * requests.
     */
    private void leave(long length) {
        CompletableFuture<Void> called;
        synchronized (lock) {
            onTheirWay -= length;
            if (onTheirWay > MOST_CHARACTERS / 2) {
                return;
            }
            called = room;
            room = new CompletableFuture<>();
        }
        called.complete(null);
    }
}
