package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.view.QueryArgs;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

/** Handles {@code _all_docs} in a cluster. Documents by keys are read by quorum, a range from the node's own copy. */
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
        AllDocsHandler.byKeys(own, args, keys.get(), id -> node.ask(database, (at, then) -> at.read(id, then)), rows);
        rows.end();
    }
}
