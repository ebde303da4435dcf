package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.time.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the rate of requests to what the server accepts. Hosted servers allow an account a number of requests per second and
 * refuse further requests with 429. A refused request was not carried out, so it is retried, even if it is a write.
 *
 * <p>No request waits before the first refusal. After it, all requests of the client share one rate. The rate begins with the
 * number of requests that the server accepted in the last second, falls with refusals, and rises a little with each second
 * without one. Writes go first, because the end of a job and the renewal of a lease are writes, and reads are useless without
 * them. Thread-safe.
 */
final class Pace {
    private static final Logger log = LoggerFactory.getLogger(Pace.class);
    private static final long SECOND = 1_000_000_000L;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** How long a read yields to writes: it goes after a write that came up to this much later. */
    private static final long READS_WAIT = 2 * SECOND;

    private static final double SLOWEST = 0.2;
    private static final double FASTEST = 500;
    private static final double SLOWER = 0.8;
    private static final double FASTER = 1.1;

    private final Environment environment;
    /**
     * Not a monitor: before Java 24 a virtual thread that waits for a monitor pins its carrier thread, of which there are at
     * most 256.
     */
    private final Lock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final Queue<Turn> turns = new PriorityQueue<>(Comparator.comparingLong(Turn::dueNanos));
    /** The times at which requests of the last second were accepted. */
    private final Deque<Long> accepted = new ArrayDeque<>();

    private volatile boolean isLimited;
    private double perSecond;
    private long nextNanos;
    private long changedNanos;

    Pace(Environment environment) {
        this.environment = environment;
    }

    /**
     * Sends a request when it is its turn, and retries it while the server refuses it with 429.
     *
     * @throws CouchException the exception of the attempt; a refusal only if it lasts for a minute, or the server asks for a
     *     longer wait
     */
    <T> T run(Call call, Supplier<T> attempt) {
        Duration waited = Duration.ZERO;
        while (true) {
            waited = waited.plus(isLimited ? await(call) : Duration.ZERO);
            try {
                T result = attempt.get();
                accepted();
                return result;
            } catch (CouchException e) {
                if (e.status() != 429) {
                    answered(e);
                    throw e;
                } else if (!isWorthAWait(e, waited)) {
                    throw e;
                }
                refused(e);
            }
        }
    }

    /** Counts an error answer like a success: the server accepted the request. */
    private void answered(CouchException e) {
        if (e.status() > 0) {
            accepted();
        }
    }

    private static boolean isWorthAWait(CouchException e, Duration waited) {
        Duration more = e.retryAfter().orElse(Duration.ZERO);
        return waited.plus(more).compareTo(PATIENCE) < 0
                && !Thread.currentThread().isInterrupted();
    }

    private void accepted() {
        lock.lock();
        try {
            long now = environment.nanos();
            accepted.add(now);
            forgetOlderThanASecond(now);
            if (isLimited && now - changedNanos >= SECOND) {
                perSecond *= FASTER;
                changedNanos = now;
                if (perSecond > FASTEST) {
                    isLimited = false;
                    changed.signalAll();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void refused(CouchException e) {
        lock.lock();
        try {
            long now = environment.nanos();
            forgetOlderThanASecond(now);
            int lastSecond = Math.max(1, accepted.size());
            if (!isLimited) {
                isLimited = true;
                perSecond = lastSecond;
                changedNanos = now;
                log.info("the server refuses requests by 429; about {} per second are sent from now on", lastSecond);
            } else if (now - changedNanos >= SECOND) {
                // Within the first second, the refused requests may have been sent before the rate was reduced.
                perSecond = Math.max(SLOWEST, Math.min(perSecond * SLOWER, lastSecond));
                changedNanos = now;
            }
            long wait = e.retryAfter().map(Duration::toNanos).orElse(interval());
            nextNanos = isBefore(nextNanos, now + wait) ? now + wait : nextNanos;
        } finally {
            lock.unlock();
        }
    }

    private void forgetOlderThanASecond(long now) {
        while (!accepted.isEmpty() && now - accepted.peek() > SECOND) {
            accepted.remove();
        }
    }

    /** {@return how long this request paused} An interrupt ends the wait, and then fails the request. */
    private Duration await(Call call) {
        Turn turn = new Turn(environment.nanos() + (call.repeatable() ? READS_WAIT : 0));
        Duration waited = Duration.ZERO;
        try {
            do {
                Duration wait = Duration.ofNanos(untilNext(turn));
                environment.pause(wait);
                waited = waited.plus(wait);
            } while (!isOn(turn));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            leave(turn);
        }
        return waited;
    }

    /** Waits until no other request goes first, and returns the remaining wait in nanoseconds. */
    private long untilNext(Turn turn) throws InterruptedException {
        lock.lock();
        try {
            if (!turns.contains(turn)) {
                turns.add(turn);
            }
            while (isLimited && turns.peek() != turn) {
                changed.await();
            }
            return isLimited ? Math.max(0, nextNanos - environment.nanos()) : 0;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the turn; returns false if a more urgent request has come meanwhile. */
    private boolean isOn(Turn turn) {
        lock.lock();
        try {
            if (isLimited && turns.peek() != turn) {
                return false;
            }
            long now = environment.nanos();
            nextNanos = (isBefore(nextNanos, now) ? now : nextNanos) + interval();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void leave(Turn turn) {
        lock.lock();
        try {
            turns.remove(turn);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private long interval() {
        return (long) (SECOND / perSecond);
    }

    private static boolean isBefore(long one, long other) {
        return one - other < 0;
    }

    /** A waiting request; compared by identity. */
    private static final class Turn {
        private final long dueNanos;

        Turn(long dueNanos) {
            this.dueNanos = dueNanos;
        }

        long dueNanos() {
            return dueNanos;
        }
    }
}
