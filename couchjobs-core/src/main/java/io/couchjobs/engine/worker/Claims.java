package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.claim.Pick;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a worker that are under way, while the worker looks for more jobs. Claimed jobs are started, or released when
 * the worker is closing. Thread-safe, except for {@link #begin}, {@link #throwTrouble} and {@link #forgetTrouble}, which one
 * thread calls.
 */
public final class Claims {
    private static final int MOST = 2;

    private final Executor executor;
    private final BooleanSupplier closing;
    private final Lane lane;
    private final AtomicLong won = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> trouble = new AtomicReference<>();
    private final Backoff lostRaces;
    private volatile boolean lostAll;

    Claims(Finder finder, Executor executor, Environment environment, String worker, BooleanSupplier closing) {
        this.executor = executor;
        this.closing = closing;
        this.lostRaces = finder.lostRaces();
        this.lane = environment.lane("couchjobs-claims-" + worker, MOST);
    }

    /** {@return how many jobs were claimed so far} */
    long won() {
        return won.get();
    }

    /** {@return how many jobs were claimed so far, or may be claimed by claims under way} */
    long wonOrUnderWay() {
        return executor.slots().claiming() + won.get();
    }

    /**
     * Claims jobs in the background. Returns at once, except for a pause when all jobs of the previous claim were lost to other
     * workers.
     */
    void begin(Pick pick) throws InterruptedException {
        if (lostAll) {
            lostRaces.pause();
        } else {
            lostRaces.reset();
        }
        executor.slots().claim(pick.size());
        lane.execute(() -> claim(pick));
    }

    /** Throws the last failure of a claim, if there is one. */
    void throwTrouble() {
        Throwable last = trouble.getAndSet(null);
        if (last instanceof RuntimeException exception) {
            throw exception;
        } else if (last instanceof Error error) {
            throw error;
        }
    }

    /** Discards the last failure. The caller has already paused for it. */
    void forgetTrouble() {
        trouble.set(null);
    }

    void close() {
        lane.finish();
    }

    private void claim(Pick pick) {
        try {
            List<LeasedJob> jobs = pick.claim();
            lostAll = jobs.isEmpty();
            won.addAndGet(jobs.size());
            jobs.forEach(closing.getAsBoolean() ? Executor::giveBack : this::take);
        } catch (RuntimeException | Error e) {
            trouble.set(e);
        } finally {
            executor.slots().claimed(pick.size());
        }
    }

    /** Starts a job. A failure to start one job does not affect the others. */
    private void take(LeasedJob job) {
        try {
            executor.take(job);
        } catch (RuntimeException | Error e) {
            trouble.set(e);
            Executor.giveBack(job);
        }
    }
}
