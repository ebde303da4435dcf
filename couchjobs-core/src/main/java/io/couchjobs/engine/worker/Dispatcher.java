package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.Pick;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.AcceptOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of a worker: waits for a free slot, claims as many jobs as slots are free, and hands them over. The loop survives
 * all failures. While the database is away, it retries with growing pauses.
 */
final class Dispatcher {
    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);
    /** Lets a worker claim again within 5 s after the database is back, including the requests before the first claim. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);
    /** The pause of a worker with {@code untilEmpty} before it looks again for due jobs, while a rate is used up. */
    private static final Duration HELD_BACK = Duration.ofSeconds(5);
    /** The pause of a worker with {@code untilEmpty} before it looks again for due jobs. */
    private static final Duration EMPTY_CHECK = Duration.ofMillis(250);

    private final WorkerOptions options;
    private final Finder finder;
    private final JobIndex index;
    private final InstantSource clock;
    private final Executor executor;
    private final Environment environment;
    private final Thread thread;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Claims claims;
    private volatile boolean closing;
    /** Whether due jobs wait for the next window of their rate; used by the worker's thread only. */
    private boolean isHeldBack;

    Dispatcher(WorkerOptions options, Finder finder, QueueParts parts, Executor executor) {
        this.options = options;
        this.finder = finder;
        this.index = parts.index();
        this.clock = parts.clock();
        this.executor = executor;
        this.environment = parts.store().environment();
        this.claims = new Claims(finder, executor, environment, options.id(), () -> closing);
        this.thread = environment.thread("couchjobs-worker-" + options.id(), this::dispatch);
    }

    void start() {
        thread.start();
    }

    /** Stops claiming jobs. */
    void close() {
        closing = true;
        thread.interrupt();
    }

    /** {@return a latch that counts down when no claim is under way any more and the last run has ended} */
    CountDownLatch stopped() {
        return stopped;
    }

    private void dispatch() {
        Backoff backoff = new Backoff(environment, Duration.ofMillis(100), LONGEST_PAUSE);
        try {
            while (!closing && claims.won() < options.maxJobs()) {
                boolean asked = false;
                try {
                    if (!claimAndStart()) {
                        break;
                    }
                    asked = true;
                    claims.throwTrouble();
                    backoff.reset();
                } catch (RuntimeException | Error e) {
                    if (backoff.attempts() == 0
                            && !closing) { // closing breaks off the present request, which is no failure
                        log.warn(
                                "worker {} cannot claim jobs, trying again until it can: {}",
                                options.id(),
                                e.getMessage());
                        log.debug("the cause", e);
                    }
                    backoff.pause();
                    if (!asked) {
                        claims.forgetTrouble(); // otherwise it would cost one more pause when the database is back
                    }
                }
            }
        } catch (InterruptedException e) {
            log.debug("worker {} takes no more jobs", options.id());
        } finally {
            end();
        }
    }

    private void end() {
        boolean idle = false;
        while (!idle) {
            try {
                executor.slots().awaitClaims();
                if (closing) {
                    executor.releaseAhead();
                }
                executor.slots().awaitIdle(executor::aheadCount);
                idle = true;
            } catch (InterruptedException closedMeanwhile) {
                log.debug("worker {} gives back what it has not begun", options.id());
            }
        }
        claims.close();
        stopped.countDown();
    }

    /** Does one round. Returns false when the worker is to stop. */
    private boolean claimAndStart() throws InterruptedException {
        int free = executor.slots().awaitRoom(executor::placesFree);
        boolean ahead = free == 0;
        long wanted = Math.min(ahead ? executor.placesFree() : free, options.maxJobs() - claims.wonOrUnderWay());
        if (wanted <= 0) {
            executor.slots().awaitClaims();
            return true;
        }
        AcceptOptions accept = accept((int) wanted);
        Optional<Pick> pick = finder.find(ahead ? accept.start(false) : accept);
        if (pick.isPresent()) {
            if (executor.slots().limit() == 0) {
                pick.get().putBack(); // the concurrency was set to 0 while the worker waited for a job
            } else {
                claims.begin(pick.get());
            }
            return true;
        }
        executor.slots().awaitClaims();
        return !options.untilEmpty() || !isEmpty();
    }

    private AcceptOptions accept(int max) {
        AcceptOptions accept = AcceptOptions.of(options.handlers().keySet().toArray(new String[0]))
                .max(max)
                .strategy(options.selection().strategy());
        return options.untilEmpty() ? accept.timeout(isHeldBack ? HELD_BACK : EMPTY_CHECK) : accept;
    }

    /** {@return whether no job is due, as the last accept showed, and no job is owned that could fail, expire or resubmit} */
    private boolean isEmpty() throws InterruptedException {
        isHeldBack = false;
        if (!executor.runs().isEmpty()) {
            return false;
        }
        for (String type : options.handlers().keySet()) {
            if (!index.owned(type).isEmpty() || index.hasConflicts(type)) {
                return false;
            }
        }
        if (finder.mayClaimSoon(options.handlers().keySet())) {
            return false;
        }
        isHeldBack = options.handlers().keySet().stream()
                .anyMatch(type -> finder.isRateUsedUp(type) && index.counts().pending(type, clock.instant(), 1) > 0);
        if (isHeldBack) {
            return false;
        }
        Optional<Pick> late = finder.find(accept(1).timeout(Duration.ZERO));
        if (late.isPresent()) {
            claims.begin(late.get());
        }
        return late.isEmpty();
    }
}
