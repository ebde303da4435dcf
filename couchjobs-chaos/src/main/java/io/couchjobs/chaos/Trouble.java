package io.couchjobs.chaos;

import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The current faults of one process's connections, and how often each has hit. Thread-safe. */
final class Trouble {
    private final Set<Fault> present = ConcurrentHashMap.newKeySet();
    private final Map<Fault, LongAdder> hits = new ConcurrentHashMap<>();
    private final Random random;
    private @Nullable String oldPosition;

    Trouble(long seed) {
        this.random = new Random(seed);
    }

    void begin(Fault fault) {
        present.add(fault);
    }

    synchronized void end(Fault fault) {
        present.remove(fault);
        notifyAll();
    }

    synchronized void endAll() {
        present.clear();
        notifyAll();
    }

    boolean is(Fault fault) {
        return present.contains(fault);
    }

    void hit(Fault fault) {
        hits.computeIfAbsent(fault, none -> new LongAdder()).increment();
    }

    long hits(Fault fault) {
        LongAdder number = hits.get(fault);
        return number == null ? 0 : number.sum();
    }

    /** Waits while the connection is half-open. Returns whether the waiting bytes are passed on; otherwise they are lost. */
    synchronized boolean passesHalfOpen() throws InterruptedException {
        if (!is(Fault.HALF_OPEN)) {
            return true;
        }
        hit(Fault.HALF_OPEN);
        while (is(Fault.HALF_OPEN)) {
            wait();
        }
        return random.nextInt(4) > 0;
    }

    long delayMillis() {
        return random.nextLong(20, 600);
    }

    /** {@return how many of the bytes are passed on before a feed is cut} */
    int part(int bytes) {
        return random.nextInt(bytes + 1);
    }

    /**
     * Chooses the position from which a feed begins.
     *
     * @param asked the position that the client requested
     * @return the same position, or an older one that a feed of this process requested before
     */
    synchronized String position(String asked) {
        if (is(Fault.REWIND_FEEDS) && oldPosition != null && !oldPosition.equals(asked)) {
            hit(Fault.REWIND_FEEDS);
            return oldPosition;
        }
        if (oldPosition == null || random.nextInt(4) == 0) {
            oldPosition = asked;
        }
        return asked;
    }
}
