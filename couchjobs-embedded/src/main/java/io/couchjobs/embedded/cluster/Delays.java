package io.couchjobs.embedded.cluster;

/** How long things take, in microseconds; asked once per message and step. */
public interface Delays {
    /** {@return how long a message is under way between two nodes, or within one; messages do not overtake} */
    long link(int from, int to);

    /** {@return how long a copy takes to begin with a request that arrived; requests may overtake here} */
    long begin(int node);

    /** {@return how long a stored change takes to be on disk and answered} */
    long disk(int node);

    /** {@return how long after a change a copy offers what it has to the others} */
    long sync(int node);

    /**
     * {@return how many documents a copy offers another at once} When it has more, the other copy gets the first ones a while
     * before the last.
     */
    default int batch() {
        return 500;
    }

    /** {@return how long after a batch that another copy has taken the next one is offered} */
    default long nextBatch(int node) {
        return 0;
    }
}
