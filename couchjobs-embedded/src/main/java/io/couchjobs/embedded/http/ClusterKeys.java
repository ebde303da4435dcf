package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.view.QueryArgs;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

/** {@code _all_docs} of a cluster: documents by keys are read by quorum, a range from the node's own copy. */
final class ClusterKeys {
    private ClusterKeys() {}

    static void read(Call call, ClusterNode node, String database) throws IOException {
        call.allow("GET", "HEAD", "POST");
        boolean several = call.segment(2).equals("queries");
        Queries.run(call, several, (args, out) -> answer(node, database, args, call.is("POST"), out));
    }

    private static void answer(ClusterNode node, String database, QueryArgs args, boolean fromBody, OutputStream out)
            throws IOException {
        Database own = node.own(database);
        Optional<List<JsonNode>> keys = args.ids(fromBody);
        if (keys.isEmpty()) {
            AllDocsHandler.answer(own, args, false, fromBody, out);
            return;
        }
        RowWriter rows = new RowWriter(out).begin(own.docCount(), -1, null);
        for (JsonNode key : keys.get()) {
            Optional<Doc> doc = find(node, database, key);
            rows.row(doc.map(found -> row(own, args, found)).orElseGet(() -> unknown(key)));
        }
        rows.end();
    }

    private static Optional<Doc> find(ClusterNode node, String database, JsonNode key) throws IOException {
        if (!key.isTextual()) {
            return Optional.empty();
        }
        return node.ask(database, (at, then) -> at.read(key.textValue(), then));
    }

    private static ObjectNode unknown(JsonNode key) {
        ObjectNode row = Json.object();
        row.set("key", key);
        return row.put("error", "not_found");
    }

    private static ObjectNode row(Database own, QueryArgs args, Doc doc) {
        boolean deleted = doc.node().deleted();
        ObjectNode row = Json.object().put("id", doc.id()).put("key", doc.id());
        ObjectNode value = row.putObject("value").put("rev", doc.rev().toString());
        if (deleted) {
            value.put("deleted", true);
        }
        if (args.includeDocs()) {
            row.set(
                    "doc",
                    deleted
                            ? null
                            : DocShape.ofRow(args.conflicts(), args.attachments())
                                    .json(own, doc));
        }
        return row;
    }
}
