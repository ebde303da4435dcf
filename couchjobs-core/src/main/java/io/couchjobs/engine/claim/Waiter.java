package io.couchjobs.engine.claim;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.ServerClock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sleeps until the next job falls due or something changes. No wake-up is lost: a caller reads the number of
 * {@link #changes} before it looks for jobs, and does not sleep if the number has grown since. Thread-safe.
 */
final class Waiter {
    private static final Logger log = LoggerFactory.getLogger(Waiter.class);
    /** The clock may be set, or the machine may be suspended, while a caller waits. So the caller looks again this often. */
    private static final Duration LONGEST_SLEEP = Duration.ofSeconds(20);

    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final Duration SHARP = Duration.ofMillis(1250);
    private static final Duration ASK_EVERY = Duration.ofMillis(100);
    private static final Duration FORGET_ASKING = Duration.ofSeconds(30);
    private static final int MOST_ASKED = 30;

    private final ServerClock clock;
    private final Environment environment;
    /** The types for which callers wait at the moment, with the number of callers. */
    private final Map<String, Integer> awaited = new ConcurrentHashMap<>();

    private long changes;
    /** The number of the last change that also wakes busy callers. */
    private long lastForAll;

    private CompletableFuture<Void> next = new CompletableFuture<>();
    private CompletableFuture<Void> nextForAll = new CompletableFuture<>();
    private boolean closed;
    private long askedNanos;
    private int asked;

    Waiter(ServerClock clock, Environment environment) {
        this.clock = clock;
        this.environment = environment;
    }

    /**
     * {@return the number of changes so far}
     *
     * @throws IllegalStateException when the waiter is closed
     */
    synchronized long changes() {
        if (closed) {
            throw new IllegalStateException("the queue is closed; no more jobs are accepted");
        }
        return changes;
    }

    /** Wakes all callers, because there may be a job to claim. */
    void wake() {
        complete(changed(true));
    }

    /** Wakes only idle callers, because a job changed and was not read. */
    void wakeIdle() {
        complete(changed(false));
    }

    private synchronized List<CompletableFuture<Void>> changed(boolean forAll) {
        changes++;
        List<CompletableFuture<Void>> waiting = forAll ? List.of(next, nextForAll) : List.of(next);
        next = new CompletableFuture<>();
        if (forAll) {
            lastForAll = changes;
            nextForAll = new CompletableFuture<>();
        }
        return waiting;
    }

    private static void complete(List<CompletableFuture<Void>> waiting) {
        waiting.forEach(change -> change.complete(null));
    }

    /** Ends the sleep of all callers. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        wake();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** {@return whether an idle caller waits for jobs of a type} */
    boolean isAwaited(String type) {
        return awaited.containsKey(type);
    }

    /** {@return whether an idle caller waits for jobs of any type} */
    boolean isAwaited() {
        return !awaited.isEmpty();
    }

    /**
     * Sleeps, for 20 s at most. A caller that waits only for up to 100 ms looks again soon anyway, and counts as busy.
     *
     * @param seen the number of changes before the caller looked for jobs; another change ends the sleep
     */
    void await(Duration longest, Collection<String> types, long seen) throws InterruptedException {
        Duration pause = longest.compareTo(LONGEST_SLEEP) < 0 ? longest : LONGEST_SLEEP;
        boolean isIdle = pause.compareTo(MOMENT) > 0;
        try {
            if (isIdle) {
                types.forEach(type -> awaited.merge(type, 1, Integer::sum));
            }
            Optional<CompletableFuture<Void>> change = unlessChanged(isIdle, seen);
            if (change.isPresent()) {
                environment.await(change.get(), pause);
            }
        } finally {
            if (isIdle) {
                types.forEach(type -> awaited.computeIfPresent(type, (same, many) -> many == 1 ? null : many - 1));
            }
        }
    }

    private synchronized Optional<CompletableFuture<Void>> unlessChanged(boolean isIdle, long seen) {
        if ((isIdle ? changes : lastForAll) > seen) {
            return Optional.empty();
        }
        return Optional.of(isIdle ? next : nextForAll);
    }

    /**
     * Returns how long to sleep before the next look for jobs. The offset of a wrong clock is known only to within two
     * seconds. So the server is asked for its time shortly before a job falls due.
     *
     * @param untilDue how long until the next job falls due, by the clock's present offset
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

    /** Limits how often the server is asked: it may be too slow to give a more exact time. */
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
