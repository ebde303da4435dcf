package io.couchjobs.engine.document;

import java.util.UUID;

/**
 * Makes random UUIDs in runs of neighbours. Writing documents whose ids are neighbours costs CouchDB half as much, because
 * they share the nodes of its trees. Within a run the first 40 bits stay the same and the next 8 bits count. All other bits
 * of each UUID are random, so neither two processes nor two copies of a machine ever make the same UUID. Thread-safe.
 */
public final class RandomIds {
    /**
     * The length of a run. It is long enough for a request of hundreds of documents. It is short beside a long line of
     * jobs, in which jobs are looked up at random places.
     */
    private static final int RUN = 256;

    private static final int BELOW_COUNTER = 16;
    private static final long BELOW = (1L << BELOW_COUNTER) - 1;

    private long start;
    private int used = RUN;

    public synchronized UUID next() {
        UUID fresh = UUID.randomUUID();
        if (used == RUN) {
            start = (fresh.getMostSignificantBits() >>> BELOW_COUNTER) & -RUN;
            used = 0;
        }
        long counted = start + used;
        used++;
        long below = fresh.getMostSignificantBits() & BELOW;
        return new UUID((counted << BELOW_COUNTER) | below, fresh.getLeastSignificantBits());
    }
}
