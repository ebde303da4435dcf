package io.couchjobs.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A cluster of three nodes that the environment names: {@code COUCHJOBS_CLUSTER_URLS} has the nodes' URLs with credentials and
 * spaces between them; {@code COUCHJOBS_NODE_STOP}, {@code _START}, {@code _FREEZE}, {@code _THAW}, {@code _CUT} and {@code
 * _HEAL} are shell commands that are run with a node's number (1 to 3) as their argument. Where the environment names none
 * and says {@code COUCHJOBS_CLUSTER=containers}, three containers are started if there is Docker.
 */
final class RealCluster {
    static final String URLS = "COUCHJOBS_CLUSTER_URLS";
    private static final List<String> NODES = Optional.ofNullable(System.getenv(URLS))
            .map(named -> List.of(named.split("[\\s,]+")))
            .or(() -> ContainerCluster.get().map(ContainerCluster::urls))
            .orElse(List.of());

    private RealCluster() {}

    /** What can be done to a node. */
    enum Deed {
        STOP,
        START,
        FREEZE,
        THAW,
        CUT,
        HEAL;

        boolean isPossible() {
            return isNamed() ? command().isPresent() : isThere();
        }

        /** Returns when the command has ended; it must do so by itself. */
        void to(int node) throws IOException, InterruptedException {
            if (isNamed()) {
                run(node);
            } else {
                ContainerCluster.get().orElseThrow().to(this, node);
            }
        }

        private void run(int node) throws IOException, InterruptedException {
            Process process = new ProcessBuilder("sh", "-c", command().orElseThrow() + " " + node)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(2, TimeUnit.MINUTES) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException("the command for " + this + " of node " + node + " failed");
            }
        }

        private Optional<String> command() {
            return Optional.ofNullable(System.getenv("COUCHJOBS_NODE_" + this));
        }
    }

    private static boolean isNamed() {
        return System.getenv(URLS) != null;
    }

    /** Lets a process that is about to be started find the same cluster. */
    static void nameTo(ProcessBuilder process) {
        process.environment().put(URLS, String.join(" ", NODES));
    }

    static boolean isThere() {
        return NODES.size() == 3;
    }

    /** A queue that asks one node only. */
    static JobQueue at(int node, String database) {
        return JobQueue.builder(url(node, database)).renewLeases(false).open();
    }

    /** A queue that asks any node. */
    static JobQueue open(String database) {
        return JobQueue.open(url(1, database), url(2, database), url(3, database));
    }

    private static String url(int node, String database) {
        return URI.create(NODES.get(node - 1) + "/").resolve(database).toString();
    }

    /** The documents that have leaves besides the winning one. */
    static List<String> conflicts(CouchDatabase database) {
        ViewQuery all = ViewQuery.allDocs().includeDocs(true).conflicts(true);
        return database.view(all).rows().stream()
                .filter(row -> !conflictsOf(row).isMissingNode())
                .map(ViewResult.Row::id)
                .toList();
    }

    private static JsonNode conflictsOf(ViewResult.Row row) {
        return row.doc() == null ? MissingNode.getInstance() : row.doc().path("_conflicts");
    }
}
