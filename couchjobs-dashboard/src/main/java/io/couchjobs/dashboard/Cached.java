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
 * An answer that is asked for once, however many people look at the same time, and then kept for a moment. It is kept for the
 * given time, but at least nine times as long as asking took, so that asking never takes more than a tenth of the time.
 * Thread-safe.
 *
 * <p>An answer that needs an index may take minutes while the index is being built. People are then told so, and the question
 * goes on.
 */
final class Cached<T> {
    private static final int SPARING = 9;
    private static final Duration GLANCE = Duration.ofSeconds(2);

    /** Says that an index is being built. */
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

    /** Makes one whose source reads indexes; {@code building} tells which of them is being built. */
    Cached(Duration time, Supplier<T> source, Supplier<Optional<IndexBeingBuiltException.Progress>> building) {
        this.source = source;
        this.building = building;
        this.nanos = time.toNanos();
    }

    /** Throws {@link NotYet} while an index is being built. */
    T get() {
        long begun = System.nanoTime();
        Question asked = asked();
        try {
            return answer(asked);
        } catch (NotYet notYet) {
            if (asked.isDone() && asked.begun - begun < 0) {
                return answer(asked()); // the earlier question needed another answer that may be there now
            }
            throw notYet;
        }
    }

    /** The known answer, however old; empty before the first one. When it is old, asks anew and waits for nothing. */
    synchronized Optional<T> known() {
        var unused = asked();
        return Optional.ofNullable(value);
    }

    /** Forgets what is known, because somebody has just changed it. */
    synchronized void forget() {
        value = null;
        question = null;
    }

    /** The question whose answer is good or still to come; waits for nothing. */
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

    /** One question to the source. It is old at once if it fails. */
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
