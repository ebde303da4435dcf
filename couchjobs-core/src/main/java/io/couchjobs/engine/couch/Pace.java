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
 * Sends no more requests than the server accepts. Hosted servers allow an account a number of requests per second and refuse the
 * others by 429. A refused request was not carried out, so it is sent again, also when it is a write.
 *
 * <p>Before the first refusal no request waits. After it all requests of the client share one rate: as many per second
 * as the server accepted last, less with each refusal, and a little more with each second without one. Writes go first:
 * the end of a job and the renewal of a lease are writes, without which reads are in vain. Thread-safe.
 */
final class Pace {
    private static final Logger log = LoggerFactory.getLogger(Pace.class);
    private static final long SECOND = 1_000_000_000L;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** How much longer a read waits than a write that came at the same time. */
    private static final long READS_WAIT = 2 * SECOND;

    private static final double SLOWEST = 0.2;
    private static final double FASTEST = 500;
    private static final double SLOWER = 0.8;
    private static final double FASTER = 1.1;

    private final Environment environment;
    /** No monitor: before Java 24 a virtual thread that waits for one keeps its carrier, of which there are 256. */
    private final Lock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final Queue<Turn> turns = new PriorityQueue<>(Comparator.comparingLong(Turn::dueNanos));
    /** When the requests of the last second were accepted. */
    private final Deque<Long> accepted = new ArrayDeque<>();

    private volatile boolean isLimited;
    private double perSecond;
    private long nextNanos;
    private long changedNanos;

    Pace(Environment environment) {
        this.environment = environment;
    }

    /**
     * Sends a request when it is its turn, and again while the server refuses it for the number of requests.
     *
     * @throws CouchException the exception of the attempt; a refusal when it lasts for a minute, or when the server
     *     asks for longer
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

    /** A request with an error answer was let through like a successful one. */
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
                // Before that, requests are refused that were on their way when the first one was.
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

    /** {@return how long the server was left alone for this request} An interrupt ends the wait: the request fails by it, then. */
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

    /** Returns when no other request goes before. */
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

    /** False when a more urgent one has come meanwhile. */
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

    /** A request that waits; known by its identity. */
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
