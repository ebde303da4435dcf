package io.couchjobs.couch;

import java.util.Set;

/**
 * The nodes of a cluster, as one of them sees it. Immutable and thread-safe.
 *
 * @param connected the nodes that it is connected with, itself among them
 * @param cluster the nodes that belong to the cluster, whether they are there or not
 * @see <a href="https://docs.couchdb.org/en/stable/api/server/common.html#membership">/_membership</a>
 */
public record Membership(Set<String> connected, Set<String> cluster) {
    /**
     * Copies.
     *
     * @param connected the nodes that it is connected with
     * @param cluster the nodes that belong to the cluster
     */
    public Membership {
        connected = Set.copyOf(connected);
        cluster = Set.copyOf(cluster);
    }
}
