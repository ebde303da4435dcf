package io.couchjobs.embedded.cluster;

import java.util.Random;

/**
 * Seeded random delays with exponential distributions, in which a few delays are much longer than the mean, as on busy machines.
 * Not thread-safe.
 */
public final class RandomDelays implements Delays {
    private final Random random;
    private final Means means;
    private final long trickle;

    /** Creates delays. The same seed gives the same delays. */
    public RandomDelays(long seed, Means means) {
        this(seed, means, 0);
    }

    /**
     * Creates delays. The same seed gives the same delays.
     *
     * @param trickle the average microseconds between two documents that a copy offers another copy; 0 for all at once
     */
    public RandomDelays(long seed, Means means, long trickle) {
        this.random = new Random(seed);
        this.means = means;
        this.trickle = trickle;
    }

    /**
     * The mean and minimum delays, in microseconds.
     *
     * @param remote the minimum delay of a message between two nodes
     * @param link the average additional delay of each message, also within a node
     * @param begin the average delay until a copy starts a request
     * @param disk the average delay until a change is on disk
     * @param sync the minimum delay until changes are offered to the other copies; up to a tenth is added
     */
    public record Means(long remote, long link, long begin, long disk, long sync) {
        /**
         * Means as measured with CouchDB 3.5. When workers claim a job within about a millisecond of each other, through one node
         * or several, both are accepted about as often as on a real cluster. Changes are offered to the other copies after 5 s,
         * CouchDB's default.
         */
        public static final Means COUCHDB_3_5 = new Means(50, 270, 8, 5_000, 5_000_000);
    }

    @Override
    public long link(int from, int to) {
        return (from == to ? 0 : means.remote()) + around(means.link());
    }

    @Override
    public long begin(int node) {
        return around(means.begin());
    }

    @Override
    public long disk(int node) {
        return around(means.disk());
    }

    @Override
    public long sync(int node) {
        return means.sync() + (long) (random.nextDouble() * means.sync() / 10);
    }

    @Override
    public int batch() {
        return trickle == 0 ? Delays.super.batch() : 1;
    }

    @Override
    public long nextBatch(int node) {
        return trickle == 0 ? 0 : 1 + around(trickle);
    }

    private long around(long mean) {
        return Math.round(-mean * StrictMath.log(1 - random.nextDouble()));
    }
}
