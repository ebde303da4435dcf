package io.couchjobs.worker;

import io.couchjobs.job.JobId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs many items of an array, or many due jobs, in one call: for example by one SQL statement, or by one request to an API that
 * accepts a hundred e-mails. Each item still has its own outcome. Thread-safe if the work is thread-safe.
 *
 * <p>Due jobs that are not chunks are gathered. The first job runs at once and alone. Jobs that start while this call is in
 * progress run together in the next call. So a call has at most as many jobs as the worker has slots. Only runs of the same handler
 * object are gathered.
 *
 * @param <T> the Java type of the items
 */
public final class ChunkHandler<T> implements JobHandler<T> {
    private final int most;
    private final Work<T> work;
    private final Gathering<T> gathering;

    private ChunkHandler(int most, Work<T> work) {
        this.most = most;
        this.work = work;
        this.gathering = new Gathering<>(most, work);
    }

    /**
     * Creates a handler of many items.
     *
     * @param most the highest number of items in one call, at least 1
     * @param work the work, called by many threads at once for different chunks and jobs
     * @param <T> the Java type of the items
     * @return the handler
     * @throws IllegalArgumentException when the number is less than 1
     */
    public static <T> ChunkHandler<T> upTo(int most, Work<T> work) {
        if (most < 1) {
            throw new IllegalArgumentException("a handler must take at least 1 item in one call, not " + most);
        }
        return new ChunkHandler<>(most, work);
    }

    /** {@return the highest number of items in one call} */
    public int most() {
        return most;
    }

    /** {@return the work that runs the items} */
    public Work<T> work() {
        return work;
    }

    /** Runs a job that is not a chunk, alone or together with other due jobs. */
    @Override
    public @Nullable Object handle(T data, JobContext context) throws Exception {
        return gathering.run(new Item<>(context.id(), data, 0, context.attempt()), context);
    }

    /**
     * Runs several items in one call.
     *
     * @param <T> the Java type of the items
     */
    @FunctionalInterface
    public interface Work<T> {
        /**
         * Runs items. When this method returns, items without an outcome have succeeded. When it throws, items without an outcome
         * have failed with the exception. Like a job, an item runs at least once.
         *
         * @param items the items, at most as many as the handler takes: either items of one chunk, in the order of the array, or
         *     one item for each of several jobs. Items whose data cannot be converted are left out
         * @param context the context of the chunk, whose progress is that of its items and whose data cannot be replaced; for
         *     several jobs, the context of the first job
         * @throws PermanentJobException when a retry would be useless
         * @throws SnoozeException when the items should run later, without a failure
         * @throws InterruptedException when the work stops because it was interrupted; items without an outcome run again
         * @throws Exception for any other failure; items without an outcome are retried
         */
        void run(List<Item<T>> items, JobContext context) throws Exception;
    }

    /**
     * An item of a call. Any thread may set its outcome until the call returns. Thread-safe.
     *
     * @param <T> the Java type of its data
     */
    public static final class Item<T> {
        private final JobId id;
        private final T data;
        private final long index;
        private final int attempt;
        private boolean hasEnded;
        private @Nullable Object result;
        private @Nullable Exception problem;

        /**
         * Creates an item without an outcome.
         *
         * @param id the job that the item is, or the chunk that stores it
         * @param data the data of the item
         * @param index the index of the item in the array
         * @param attempt the number of the run, 1 for the first
         */
        public Item(JobId id, T data, long index, int attempt) {
            this.id = id;
            this.data = data;
            this.index = index;
            this.attempt = attempt;
        }

        /** {@return the job that the item is; for an item of an array, the chunk that stores it} */
        public JobId id() {
            return id;
        }

        /** {@return the data of the item} */
        public T data() {
            return data;
        }

        /** {@return the index of the item in the array, starting at 0; 0 for a job that is not a chunk} */
        public long index() {
            return index;
        }

        /** {@return the number of the run, 1 for the first} */
        public int attempt() {
            return attempt;
        }

        /**
         * Marks the item as succeeded.
         *
         * @param newResult the result to store, up to 1,024 bytes of JSON; null for none. With a larger result, the item fails
         *     permanently
         * @throws IllegalStateException when the item has an outcome already
         */
        public void succeed(@Nullable Object newResult) {
            end(newResult, null);
        }

        /**
         * Marks the item as failed.
         *
         * @param newProblem the reason, treated like an exception from a job's handler: the item is retried, unless this is a
         *     {@link PermanentJobException} or no retry is left. With a {@link SnoozeException}, the item runs later, without a
         *     failure
         * @throws IllegalStateException when the item has an outcome already
         */
        public void fail(Exception newProblem) {
            end(null, newProblem);
        }

        private synchronized void end(@Nullable Object newResult, @Nullable Exception newProblem) {
            if (hasEnded) {
                throw new IllegalStateException("the end of item " + index + " of " + id + " was told before");
            }
            hasEnded = true;
            result = newResult;
            problem = newProblem;
        }

        /** {@return whether the item has an outcome} */
        public synchronized boolean hasEnded() {
            return hasEnded;
        }

        /** {@return the result of a succeeded item, or null} */
        public synchronized @Nullable Object result() {
            return result;
        }

        /** {@return the exception of a failed item} */
        public synchronized Optional<Exception> problem() {
            return Optional.ofNullable(problem);
        }
    }
}
