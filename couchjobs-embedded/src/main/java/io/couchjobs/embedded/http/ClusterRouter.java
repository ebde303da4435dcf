package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.cluster.Cluster;
import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.cluster.Coordinator;
import io.couchjobs.embedded.protocol.Json;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Routes the requests to one node of a simulated cluster. Requests that need a quorum go to the node's coordinator. Other
 * requests, such as views, are answered from the node's own copies. Purges and settings apply only to this node.
 */
final class ClusterRouter implements Routes {
    private final ClusterNode node;
    private final Router own;

    ClusterRouter(ClusterNode node) {
        this.node = node;
        this.own = new Router(new Databases(node.store()), new Accounts(Map.of(), node.store()));
    }

    @Override
    public void handle(Call call) throws IOException, InterruptedException {
        String database = call.segment(0);
        if (database.equals("_membership")) {
            membership(call);
        } else if (database.isEmpty() || database.startsWith("_")) {
            ask(call);
        } else if (call.path().size() == 1) {
            toDatabase(call, database);
        } else {
            inDatabase(call, database, call.segment(1));
        }
    }

    /** Answers from the node's own copies. A dead or frozen node does not answer. */
    private void ask(Call call) throws IOException, InterruptedException {
        node.requireAlive();
        own.handle(call);
    }

    private void membership(Call call) throws IOException {
        call.allow("GET");
        ObjectNode answer = Json.object();
        node.connected().forEach(answer.putArray("all_nodes")::add);
        node.cluster().names().forEach(answer.putArray("cluster_nodes")::add);
        call.answer(200, answer);
    }

    private void shards(Call call, String database) throws IOException {
        call.allow("GET");
        ObjectNode answer = Json.object();
        ObjectNode shards = answer.putObject("shards");
        node.<Map<String, List<String>>>ask(database, Coordinator::holders)
                .forEach((range, names) -> names.forEach(shards.putArray(range)::add));
        call.answer(200, answer);
    }

    private void toDatabase(Call call, String database) throws IOException, InterruptedException {
        switch (call.method()) {
            case "PUT" -> change(call, 201, cluster -> cluster.create(database));
            case "DELETE" -> change(call, 200, cluster -> cluster.delete(database));
            case "POST" -> ClusterDocument.post(call, node, database);
            default -> info(call, database);
        }
    }

    /** Answers with the numbers of the node's own copy, because those of other copies differ only for a moment. */
    private void info(Call call, String database) throws IOException {
        call.allow("GET", "HEAD");
        ObjectNode info = DatabaseHandler.info(node.own(database));
        info.put("update_seq", node.<String>ask(database, Coordinator::position));
        ObjectNode cluster = node.ask(
                database,
                (at, then) -> then.accept(Json.object()
                        .put("q", at.ranges())
                        .put("n", at.copies())
                        .put("w", at.majority())
                        .put("r", at.majority())));
        info.set("cluster", cluster);
        call.answer(200, info);
    }

    private void change(Call call, int status, Consumer<Cluster> change) throws IOException {
        node.change(change);
        call.answer(status, Json.object().put("ok", true));
    }

    private void inDatabase(Call call, String database, String second) throws IOException, InterruptedException {
        switch (second) {
            case "_bulk_docs" -> ClusterBulk.write(call, node, database);
            case "_bulk_get" -> ClusterBulkGet.read(call, node, database);
            case "_all_docs" -> ClusterKeys.read(call, node, database);
            case "_changes" -> ClusterChanges.answer(call, node, database);
            case "_shards" -> shards(call, database);
            case "_design" -> {
                if (call.path().size() == 3) {
                    new ClusterDocument(call, node, database, "_design/" + call.segment(2)).handle();
                } else {
                    ask(call);
                }
            }
            case "_local" -> new ClusterDocument(call, node, database, "_local/" + call.rest(2)).handleLocal();
            default -> {
                boolean document = !second.startsWith("_") || second.startsWith("_design/");
                if (document && call.path().size() == 2) {
                    new ClusterDocument(call, node, database, second).handle();
                } else {
                    ask(call);
                }
            }
        }
    }
}
