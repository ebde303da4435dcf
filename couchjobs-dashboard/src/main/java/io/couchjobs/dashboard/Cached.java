package io.couchjobs.dashboard;

import io.couchjobs.couch.IndexBeingBuiltException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cached answer. Many callers at the same time share one query of the source. The answer is kept for the given time, but at
 * least nine times as long as the query took, so that queries never take more than a tenth of the time. Thread-safe.
 *
 * <p>A query that needs an index may take minutes while the index is being built. {@link #get} then throws {@link NotYet}, and
 * the query continues.
 */
final class Cached<T> {
    private static final int SPARING = 9;
    private static final Duration GLANCE = Duration.ofSeconds(2);

    /** Thrown while an index is being built; the message is the progress. */
    static final class NotYet extends Refusal {
        private static final long serialVersionUID = 1L;

        NotYet(String progress) {
            super(503, progress);
        }
    }

    private final Supplier<T> source;
    private final Supplier<Optional<IndexBeingBuiltException.Progress>> building;
    private final long nanos;
    private @Nullable T value;
    private @Nullable Question question;

    Cached(Duration time, Supplier<T> source) {
        this(time, source, Optional::empty);
    }

    /** Creates an instance whose source reads indexes; {@code building} tells which index is being built. */
    Cached(Duration time, Supplier<T> source, Supplier<Optional<IndexBeingBuiltException.Progress>> building) {
        this.source = source;
        this.building = building;
        this.nanos = time.toNanos();
    }

    /**
     * Waits for the answer and returns it. Throws {@link NotYet} when the query takes more than two seconds while an index is
     * being built.
     */
    T get() {
        long begun = System.nanoTime();
        Question asked = asked();
        try {
            return answer(asked);
        } catch (NotYet notYet) {
            if (asked.isDone() && asked.begun - begun < 0) {
                return answer(asked()); // the earlier query waited for an index that may be ready now
            }
            throw notYet;
        }
    }

    /**
     * Returns the known answer, however old; empty before the first one. Starts a new query when the answer is old, but never
     * waits.
     */
    synchronized Optional<T> known() {
        var unused = asked();
        return Optional.ofNullable(value);
    }

    /** Forgets the answer, because it has just been changed. */
    synchronized void forget() {
        value = null;
        question = null;
    }

    /** Returns a query whose answer is fresh or still to come. Does not wait. */
    private synchronized Question asked() {
        Question present = question;
        if (present == null || present.isOld()) {
            present = new Question();
            question = present;
            Thread thread = new Thread(present, "couchjobs-dashboard-question");
            thread.setDaemon(true);
            thread.start();
        }
        return present;
    }

    private synchronized void answered(Question asked, T answer) {
        if (question == asked) {
            value = answer;
        }
    }

    private T answer(Question asked) {
        while (true) {
            try {
                return asked.get(GLANCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException slow) {
                building.get().ifPresent(index -> {
                    throw new NotYet(index.text());
                });
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException problem
                        ? problem
                        : new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while the database was asked", e);
            }
        }
    }

    /** One query of the source. A failed query is old at once. */
    private final class Question extends FutureTask<T> {
        private final long begun = System.nanoTime();
        private volatile long goodUntil = begun;

        Question() {
            super(source::get);
        }

        boolean isOld() {
            return isDone() && System.nanoTime() - goodUntil >= 0;
        }

        @Override
        protected void set(T answer) {
            long answered = System.nanoTime();
            goodUntil = answered + Math.max(nanos, SPARING * (answered - begun));
            answered(this, answer);
            super.set(answer);
        }
    }
}
