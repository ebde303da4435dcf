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
    private long goodUntil;
    private @Nullable FutureTask<T> underWay;
    private long askedNanos;

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
    synchronized T get() {
        T known = value;
        if (known == null || System.nanoTime() - goodUntil > 0) {
            known = underWay == null ? ended(begun()) : endedOrAnother(underWay);
            long answered = System.nanoTime();
            value = known;
            goodUntil = answered + Math.max(nanos, SPARING * (answered - askedNanos));
        }
        return known;
    }

    /** What is known, however old; empty before the first answer. When it is old, asks anew and waits for nothing. */
    synchronized Optional<T> known() {
        if (underWay == null && (value == null || System.nanoTime() - goodUntil > 0)) {
            var unused = begun();
        } else if (underWay != null && underWay.isDone()) {
            var unused = get();
        }
        return Optional.ofNullable(value);
    }

    /** Forgets what is known, because somebody has just changed it. */
    synchronized void forget() {
        value = null;
        underWay = null;
    }

    private FutureTask<T> begun() {
        FutureTask<T> question = new FutureTask<>(source::get);
        Thread thread = new Thread(question, "couchjobs-dashboard-question");
        thread.setDaemon(true);
        thread.start();
        askedNanos = System.nanoTime();
        underWay = question;
        return question;
    }

    /** An earlier question may have been refused meanwhile, because it needed another answer that was not there yet. */
    private T endedOrAnother(FutureTask<T> earlier) {
        try {
            return ended(earlier);
        } catch (NotYet notYet) {
            if (underWay == null) {
                return ended(begun());
            }
            throw notYet;
        }
    }

    private T ended(FutureTask<T> question) {
        while (true) {
            try {
                T answer = question.get(GLANCE.toMillis(), TimeUnit.MILLISECONDS);
                underWay = null;
                return answer;
            } catch (TimeoutException slow) {
                building.get().ifPresent(index -> {
                    throw new NotYet(index.text());
                });
            } catch (ExecutionException e) {
                underWay = null;
                throw e.getCause() instanceof RuntimeException problem
                        ? problem
                        : new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while the database was asked", e);
            }
        }
    }
}
