package io.couchjobs.worker;

import io.couchjobs.job.JobId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of many items of an array, or of many due jobs, by one call: one SQL statement, or one request to an API that takes a hundred
 * e-mails. Each of them still ends by itself. Thread-safe, if the work is.
 *
 * <p>Due jobs that are no chunks are gathered. The first one runs at once and alone. Others that become due while its call goes on run together
 * by the next call. So a call has at most as many jobs as the worker has places. Only runs of the same handler object are gathered.
 *
 * @param <T> what the items are bound to
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
     * A handler of many items.
     *
     * @param most how many items it takes in one call, from 1 on
     * @param work called by many threads at once, for different chunks and jobs
     * @param <T> what the items are bound to
     * @return the handler
     * @throws IllegalArgumentException when it takes no items
     */
    public static <T> ChunkHandler<T> upTo(int most, Work<T> work) {
        if (most < 1) {
            throw new IllegalArgumentException("a handler must take at least 1 item in one call, not " + most);
        }
        return new ChunkHandler<>(most, work);
    }

    /** {@return how many items it takes in one call} */
    public int most() {
        return most;
    }

    /** {@return what it does with them} */
    public Work<T> work() {
        return work;
    }

    /** Runs a job that is no chunk: alone, or with others that are due. */
    @Override
    public @Nullable Object handle(T data, JobContext context) throws Exception {
        return gathering.run(new Item<>(context.id(), data, 0, context.attempt()), context);
    }

    /**
     * The work.
     *
     * @param <T> what the items are bound to
     */
    @FunctionalInterface
    public interface Work<T> {
        /**
         * Runs items. Those that have no end when this returns have succeeded. When this throws, those that have no end have failed by
         * that. Like a job, an item runs at least once.
         *
         * @param items at most as many as the handler takes: of one chunk, in the order of the array, or one of each of several jobs. Those
         *     whose data does not fit are not among them
         * @param context the chunk that stores them: its progress is that of its items, and its data cannot be replaced. Of several jobs:
         *     that of the first
         * @throws PermanentJobException when a retry would be useless
         * @throws SnoozeException when the items are to run later, without having failed
         * @throws InterruptedException when it stops because it was interrupted: items that have no end run again
         * @throws Exception for everything else that goes wrong: the items that have no end are retried
         */
        void run(List<Item<T>> items, JobContext context) throws Exception;
    }

    /**
     * One of the items of a call. Its end may be told until the call returns, by any thread. Thread-safe.
     *
     * @param <T> what its data is bound to
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
         * An item that has no end yet.
         *
         * @param id the job that it is, or that stores it
         * @param data its data
         * @param index its place in the array
         * @param attempt which run of it this is
         */
        public Item(JobId id, T data, long index, int attempt) {
            this.id = id;
            this.data = data;
            this.index = index;
            this.attempt = attempt;
        }

        /** {@return the job that it is; of an array's item the chunk that stores it} */
        public JobId id() {
            return id;
        }

        /** {@return its data} */
        public T data() {
            return data;
        }

        /** {@return its place in the array, from 0 on; 0 for a job that is no chunk} */
        public long index() {
            return index;
        }

        /** {@return which run of it this is, 1 for the first} */
        public int attempt() {
            return attempt;
        }

        /**
         * It has succeeded.
         *
         * @param newResult what is stored with it, up to 1,024 bytes of JSON; null for none. With a larger one the item fails for good
         * @throws IllegalStateException when its end was told before
         */
        public void succeed(@Nullable Object newResult) {
            end(newResult, null);
        }

        /**
         * It has failed.
         *
         * @param newProblem as if the handler of a job had thrown it: the item is retried, unless this is a {@link PermanentJobException} or
         *     no retry is left. With a {@link SnoozeException} it runs later, without having failed
         * @throws IllegalStateException when its end was told before
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

        /** {@return whether its end was told} */
        public synchronized boolean hasEnded() {
            return hasEnded;
        }

        /** {@return what it succeeded with, or null} */
        public synchronized @Nullable Object result() {
            return result;
        }

        /** {@return what it failed with} */
        public synchronized Optional<Exception> problem() {
            return Optional.ofNullable(problem);
        }
    }
}
