package io.couchjobs.engine.store;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Checks whether a database that a node does not have may be created there. Stateless.
 *
 * <p>A node that lost its data does not know the databases of its cluster until it has synchronized with the other nodes. A
 * database that is created there in the meantime replaces the one of the cluster: all nodes then show the new, empty
 * database.
 */
final class MissingDatabase {
    /** The default names of a server. A server with a default name is not a node of a cluster. */
    private static final Set<String> UNNAMED = Set.of("couchdb@127.0.0.1", "couchdb@localhost", "nonode@nohost");

    private MissingDatabase() {}

    /**
     * Throws an exception if the cluster of the node may have the database.
     *
     * @param database a database that the node does not have
     * @param wanted whether a person asked for the database; false if it would be created only because a program was started
     */
    static void requireNew(CouchDatabase database, boolean wanted) {
        Set<String> nodes;
        try {
            CouchServer.Membership members = database.server().membership();
            nodes = new HashSet<>(members.cluster());
            nodes.addAll(members.connected());
        } catch (CouchException untold) {
            return; // there is no cluster, or the user is not an administrator and may not create databases
        }
        if (nodes.size() > 1) {
            requireNewIn(nodes, database);
        } else if (!wanted && mayHaveLostItsCluster(database.server(), nodes)) {
            throw new CouchJobsException(notCreated(database)
                    + "the server " + nodes
                    + " is empty and alone, but configured for a cluster. A node that lost its data looks"
                    + " like this, and a database that is created there hides the one of its cluster. If there is no cluster,"
                    + " run couchjobs init");
        }
    }

    private static String notCreated(CouchDatabase database) {
        return "the database " + database.name() + " is not on the server that was asked, and was not created: ";
    }

    private static void requireNewIn(Set<String> nodes, CouchDatabase database) {
        int without = 0;
        for (String node : nodes) {
            Optional<Boolean> has = database.server().isOnNode(node, database.name());
            if (has.orElse(false)) {
                throw new CouchJobsException(notCreated(database)
                        + node
                        + " of the same cluster has it, so the node that was asked is being filled. Ask another node, or try"
                        + " again later");
            }
            without += has.isPresent() ? 1 : 0;
        }
        // The node that answers knows at least about itself. If no node can be asked, a proxy blocks these requests.
        if (without > 0 && 2 * without <= nodes.size()) {
            throw new CouchJobsException(notCreated(database) + "only " + without + " of the " + nodes.size()
                    + " nodes of the cluster can be asked whether they have it");
        }
    }

    private static boolean mayHaveLostItsCluster(CouchServer server, Set<String> self) {
        return !UNNAMED.containsAll(self)
                && server.copiesWanted() > 1
                && server.databases().equals(List.of());
    }
}
