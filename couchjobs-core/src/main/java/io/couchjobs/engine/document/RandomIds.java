package io.couchjobs.engine.document;

import java.util.UUID;

/**
 * Random UUIDs that come in runs of neighbours: writing documents whose ids are neighbours costs CouchDB half as much, since they
 * share the nodes of its trees. Within a run the first 40 bits stay the same and the next 8 count; all other bits are
 * random in each, so neither two processes nor two copies of a machine ever make the same one. Thread-safe.
 */
public final class RandomIds {
    /** Long enough for a request of hundreds of documents, and short beside a long line of jobs, which are looked for at random places. */
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
