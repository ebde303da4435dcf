package io.couchjobs.embedded.cluster;

/** The delays of a simulated cluster, in microseconds. Called once per message and step. */
public interface Delays {
    /** {@return the delay of a message between two nodes, or within one; messages do not overtake each other} */
    long link(int from, int to);

    /** {@return the delay until a copy starts an arrived request; here, requests may overtake each other} */
    long begin(int node);

    /** {@return the delay until a stored change is on disk and answered} */
    long disk(int node);

    /** {@return the delay after a change until a copy offers its changes to the other copies} */
    long sync(int node);

    /**
     * {@return the maximum number of documents in a batch that a copy offers another} Further documents follow in later batches.
     */
    default int batch() {
        return 500;
    }

    /** {@return the delay between a batch that another copy has taken and the next batch} */
    default long nextBatch(int node) {
        return 0;
    }
}
