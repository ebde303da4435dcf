package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Several leaves of a document in one answer: a JSON array when asked for, else multipart as CouchDB does. */
final class OpenRevs {
    private OpenRevs() {}

    static void answer(Call call, Database database, String id) {
        answer(call, read(call, database, id));
    }

    static void answer(Call call, List<ObjectNode> found) {
        if (call.header("Accept").orElse("").contains("application/json")) {
            ArrayNode array = Json.array();
            array.addAll(found);
            call.answer(200, array);
        } else {
            multipart(call, found);
        }
    }

    private static List<ObjectNode> read(Call call, Database database, String id) {
        RevTree tree = database.tree(id);
        if (tree.isEmpty()) {
            throw CouchError.missing();
        }
        List<ObjectNode> found = new ArrayList<>();
        for (Revision rev : wanted(call.param("open_revs").orElse("all"), tree, call.flag("latest"))) {
            Optional<Doc> doc = database.revision(id, rev);
            found.add(doc.map(it -> Json.object()
                            .<ObjectNode>set("ok", DocShape.of(call).json(database, it)))
                    .orElseGet(() -> Json.object().put("missing", rev.toString())));
        }
        return found;
    }

    private static List<Revision> wanted(String parameter, RevTree tree, boolean latest) {
        if (parameter.equals("all")) {
            return tree.leaves().stream().map(Node::rev).sorted().toList();
        }
        List<Revision> wanted = new ArrayList<>();
        for (JsonNode text : Json.parse(parameter)) {
            Revision rev = Revision.parse(text.asText());
            List<Revision> leaves =
                    latest ? tree.leavesFrom(rev).stream().map(Node::rev).toList() : List.of();
            wanted.addAll(leaves.isEmpty() ? List.of(rev) : leaves);
        }
        return wanted;
    }

    private static void multipart(Call call, List<ObjectNode> found) {
        String boundary = ServerHandler.uuid();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (ObjectNode one : found) {
            boolean missing = one.has("missing");
            String type = "application/json" + (missing ? "; error=\"true\"" : "");
            out.writeBytes(call.text("--" + boundary + "\r\nContent-Type: " + type + "\r\n\r\n"));
            out.writeBytes(Json.bytes(missing ? one : one.get("ok")));
            out.writeBytes(call.text("\r\n"));
        }
        out.writeBytes(call.text("--" + boundary + "--"));
        call.answer(200, "multipart/mixed; boundary=\"" + boundary + "\"", out.toByteArray());
    }
}
