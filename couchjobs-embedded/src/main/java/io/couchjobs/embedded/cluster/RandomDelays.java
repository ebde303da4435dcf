package io.couchjobs.embedded.cluster;

import java.util.Random;

/**
 * Delays drawn from a seed: exponentially distributed around their means, a few of them much longer, as on machines that
 * also do other things. Not thread-safe.
 */
public final class RandomDelays implements Delays {
    private final Random random;
    private final Means means;
    private final long trickle;

    /** The same seed gives the same delays. */
    public RandomDelays(long seed, Means means) {
        this(seed, means, 0);
    }

    /**
     * The same seed gives the same delays.
     *
     * @param trickle microseconds that lie on average between two documents that a copy offers another one; 0 for all at once
     */
    public RandomDelays(long seed, Means means, long trickle) {
        this.random = new Random(seed);
        this.means = means;
        this.trickle = trickle;
    }

    /**
     * The mean and least delays, in microseconds.
     *
     * @param remote the least time between two nodes
     * @param link what is on average added to each message, also within a node
     * @param begin how long on average a copy takes to begin with a request
     * @param disk how long on average a change takes to be on disk
     * @param sync the least time until changes are offered to the other copies; up to a tenth more is added
     */
    public record Means(long remote, long link, long begin, long disk, long sync) {
        /**
         * As measured with CouchDB 3.5: claimers that start within about a millisecond of each other get about as many double
         * answers as on a real cluster, through one node and through several. The other copies are offered changes after 5 s,
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
