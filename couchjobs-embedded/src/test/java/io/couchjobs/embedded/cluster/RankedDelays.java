package io.couchjobs.embedded.cluster;

import java.util.List;

/**
 * Messages arrive by rank, whole milliseconds apart.
 *
 * @param orders {@code orders.get(copy)} lists the nodes as their messages arrive there
 */
record RankedDelays(List<List<Integer>> orders) implements Delays {
    /** {@return delays with which each node is the first to reach itself} */
    static RankedDelays nearestFirst() {
        return new RankedDelays(List.of(List.of(0, 1, 2), List.of(1, 2, 0), List.of(2, 0, 1)));
    }

    @Override
    public long link(int from, int to) {
        return 1_000L * (orders.get(to).indexOf(from) + 1);
    }

    @Override
    public long begin(int node) {
        return 0;
    }

    @Override
    public long disk(int node) {
        return 20_000;
    }

    @Override
    public long sync(int node) {
        return 5_000_000;
    }
}
