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
}
