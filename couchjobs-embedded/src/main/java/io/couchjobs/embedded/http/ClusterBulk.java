package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.cluster.WriteAnswer;
import io.couchjobs.embedded.cluster.WriteRow;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Edit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Handles {@code _bulk_docs} in a cluster. {@code "accepted": true} in a row means that fewer copies than the quorum stored it. */
final class ClusterBulk {
    private ClusterBulk() {}

    static void write(Call call, ClusterNode node, String database) throws IOException {
        call.allow("POST");
        ObjectNode request = call.jsonObject();
        if (!request.path("docs").isArray()) {
            throw CouchError.badRequest("POST body must include `docs` parameter.");
        }
        List<Edit> edits = new ArrayList<>();
        request.path("docs").forEach(doc -> edits.add(Edits.of(doc)));
        if (request.path("new_edits").asBoolean(true)) {
            WriteAnswer answer = write(call, node, database, edits);
            call.answer(answer.status(), rows(answer, false));
        } else {
            edits.forEach(BulkHandler::requireRevisions);
            WriteAnswer answer = node.ask(database, (at, then) -> at.replicate(edits, then));
            call.answer(201, rows(answer, true));
        }
    }

    /** Writes with the quorum that the request names in {@code w}; the default is a majority. */
    static WriteAnswer write(Call call, ClusterNode node, String database, List<Edit> edits) throws IOException {
        Optional<Integer> quorum = call.param("w").map(text -> (int) Params.number("w", text));
        return node.ask(database, (at, then) -> {
            if (quorum.isPresent()) {
                at.write(edits, quorum.get(), then);
            } else {
                at.write(edits, then);
            }
        });
    }

    private static ArrayNode rows(WriteAnswer answer, boolean errorsOnly) {
        ArrayNode rows = Json.array();
        answer.rows().stream().filter(row -> !errorsOnly || row.error() != null).forEach(row -> rows.add(row(row)));
        return rows;
    }

    private static ObjectNode row(WriteRow row) {
        if (row.error() != null) {
            return Json.object().put("id", row.id()).setAll(DocumentHandler.error(row.error()));
        }
        ObjectNode json = Json.object().put("ok", true).put("id", row.id()).put("rev", String.valueOf(row.rev()));
        return row.accepted() ? json.put("accepted", true) : json;
    }
}
