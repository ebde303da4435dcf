package io.couchjobs.engine.claim;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.time.ServerClock;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sleeps until the next job falls due or something changes. No wake-up is lost: a caller asks for the number of
 * {@link #changes} before it looks for jobs, and does not sleep when there was another since. Thread-safe.
 */
final class Waiter {
    private static final Logger log = LoggerFactory.getLogger(Waiter.class);
    /** The clock may be set, or the machine may sleep, while a caller waits: it looks again this often. */
    private static final Duration LONGEST_SLEEP = Duration.ofSeconds(20);

    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final Duration SHARP = Duration.ofMillis(1250);
    private static final Duration ASK_EVERY = Duration.ofMillis(100);
    private static final Duration FORGET_ASKING = Duration.ofSeconds(30);
    private static final int MOST_ASKED = 30;

    private final ServerClock clock;
    /** The types for which callers wait at the moment, with how many do. */
    private final Map<String, Integer> awaited = new ConcurrentHashMap<>();

    private long changes;
    /** The last change that wakes busy callers too. */
    private long lastForAll;

    private boolean closed;
    private long askedNanos;
    private int asked;

    Waiter(ServerClock clock) {
        this.clock = clock;
    }

    /**
     * {@return the number of changes so far}
     *
     * @throws IllegalStateException when it is closed
     */
    synchronized long changes() {
        if (closed) {
            throw new IllegalStateException("the queue is closed; no more jobs are accepted");
        }
        return changes;
    }

    /** There may be a job to claim. */
    synchronized void wake() {
        changes++;
        lastForAll = changes;
        notifyAll();
    }

    /** The same for callers that have nothing else to do: a job changed and was not read. */
    synchronized void wakeIdle() {
        changes++;
        notifyAll();
    }

    /** Ends the sleep of all callers. */
    synchronized void close() {
        closed = true;
        wake();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Whether a caller waits for jobs of a type. */
    boolean isAwaited(String type) {
        return awaited.containsKey(type);
    }

    /**
     * Sleeps, for 20 s at most. A caller that waits only for a moment looks again soon anyway, and counts as busy.
     *
     * @param longest for how long
     * @param types the types of the wanted jobs
     * @param seen the number of changes before the caller looked for jobs; another change ends the sleep
     */
    synchronized void await(Duration longest, Collection<String> types, long seen) throws InterruptedException {
        Duration pause = longest.compareTo(LONGEST_SLEEP) < 0 ? longest : LONGEST_SLEEP;
        boolean isIdle = pause.compareTo(MOMENT) > 0;
        long deadline = clock.nanos() + pause.toNanos();
        try {
            if (isIdle) {
                types.forEach(type -> awaited.merge(type, 1, Integer::sum));
            }
            while ((isIdle ? changes : lastForAll) <= seen && deadline - clock.nanos() > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, deadline - clock.nanos());
            }
        } finally {
            if (isIdle) {
                types.forEach(type -> awaited.computeIfPresent(type, (same, many) -> many == 1 ? null : many - 1));
            }
        }
    }

    /**
     * How long to sleep before a look is worth it. The difference of a wrong clock is known to two seconds only: around
     * the time when a job falls due, the server is asked for its time.
     *
     * @param untilDue how long until the next job falls due, by the clock as it is set at the moment
     */
    Duration untilWorthALook(Supplier<Duration> untilDue) {
        askTheTime(untilDue);
        Duration doubt = clock.doubt();
        Duration pause = untilDue.get();
        if (doubt.compareTo(SHARP) <= 0) {
            return pause;
        }
        if (pause.compareTo(doubt) >= 0) {
            return pause.minus(doubt);
        }
        return pause.compareTo(ASK_EVERY) < 0 ? pause : ASK_EVERY;
    }

    private void askTheTime(Supplier<Duration> untilDue) {
        Duration doubt = clock.doubt();
        if (doubt.compareTo(SHARP) > 0 && untilDue.get().compareTo(doubt) < 0 && mayAsk()) {
            try {
                clock.ask();
            } catch (CouchException e) {
                log.debug("the server does not tell its time; jobs may run two seconds late: {}", e.toString());
            }
        }
    }

    /** Limits how often the server is asked: it may be too slow to tell its time more exactly. */
    private synchronized boolean mayAsk() {
        long now = clock.nanos();
        if (now - askedNanos > FORGET_ASKING.toNanos()) {
            asked = 0;
        }
        boolean may = asked == 0 || (asked < MOST_ASKED && now - askedNanos >= ASK_EVERY.toNanos());
        if (may) {
            asked++;
            askedNanos = now;
        }
        return may;
    }
}
