package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Checks how many copies each document has, and whether the nodes with the copies are connected. */
final class ClusterCheck extends Check {
    private static final String REMEDY = "start what is away; a node that is gone for good needs another one in its"
            + " place, with its copies (CouchDB's documentation: Shard Management)";

    ClusterCheck() {
        super("copies");
    }

    @Override
    public Problem look(JobQueue queue) {
        int copies = queue.database().info().copies();
        Optional<CouchServer.Membership> nodes = nodes(queue);
        return nodes.flatMap(told -> away(told, queue.database().shards(), copies))
                .orElseGet(() -> asConfigured(copies, nodes.isPresent()));
    }

    private Problem asConfigured(int copies, boolean areThere) {
        if (copies == 1) {
            return fine("one copy of each document");
        }
        if (copies == 2) {
            return problem(
                    "two copies of each document (n=2)",
                    "a write is confirmed by both: with either node away no job is claimed or finished",
                    "use three nodes with n=3, and create the database anew there");
        }
        return fine(copies + " copies of each document; a write is confirmed by " + majority(copies)
                + ", provided that nobody passes w"
                + (areThere ? "" : "; whether their nodes are there is told to administrators only"));
    }

    private static int majority(int copies) {
        return copies / 2 + 1;
    }

    /** Returns the nodes; empty when the server does not tell them. */
    private static Optional<CouchServer.Membership> nodes(JobQueue queue) {
        try {
            return Optional.of(queue.database().server().membership());
        } catch (CouchUnreachableException silent) {
            throw silent;
        } catch (CouchException untold) {
            return Optional.empty();
        }
    }

    /** Returns the finding about nodes that are away; empty when none is. */
    private Optional<Problem> away(
            CouchServer.Membership nodes, Map<String, ? extends Collection<String>> shards, int copies) {
        Set<String> away = new TreeSet<>(nodes.cluster());
        shards.values().forEach(away::addAll);
        away.removeAll(nodes.connected());
        if (away.isEmpty()) {
            return Optional.empty();
        }
        long least = shards.values().stream()
                .mapToLong(of -> of.stream().filter(nodes.connected()::contains).count())
                .min()
                .orElse(copies);
        String gone = String.join(" and ", away) + (away.size() == 1 ? " is" : " are") + " away: ";
        return Optional.of(
                least >= copies
                        ? note(gone + "no copy of this database is there", "the queue works as before", REMEDY)
                        : problem(
                                gone + "at least " + least + " of " + copies + " copies of each document are left",
                                consequence(least, copies),
                                REMEDY));
    }

    private static String consequence(long least, int copies) {
        long spare = least - majority(copies);
        if (least == 0) {
            return "jobs of a part of the database cannot be read, claimed or finished";
        } else if (spare < 0) {
            return "no write is confirmed: no job is claimed or finished";
        }
        return "work goes on; with " + (spare + 1 == 1 ? "one more node" : (spare + 1) + " more nodes")
                + " away no job is claimed or finished";
    }
}
