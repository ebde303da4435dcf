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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Answers {@code open_revs}: several revisions of a document, as JSON if the client accepts it, otherwise as multipart. */
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
        String parameter = call.param("open_revs").orElse("all");
        Map<Revision, Doc> found = new TreeMap<>();
        List<ObjectNode> missing = new ArrayList<>();
        for (Revision rev : parameter.equals("all") ? leaves(database, id) : named(parameter)) {
            List<Doc> docs = docs(database, id, rev, call.flag("latest"));
            docs.forEach(doc -> found.put(doc.rev(), doc));
            if (docs.isEmpty()) {
                missing.add(Json.object().put("missing", rev.toString()));
            }
        }
        DocShape shape = DocShape.of(call).ofRevision();
        Stream<ObjectNode> rows =
                found.values().stream().map(doc -> Json.object().set("ok", shape.json(database, doc)));
        return Stream.concat(rows, missing.stream()).toList();
    }

    private static Collection<Revision> leaves(Database database, String id) {
        RevTree tree = database.tree(id);
        if (tree.isEmpty()) {
            throw CouchError.missing();
        }
        return tree.leaves().stream().map(Node::rev).toList();
    }

    private static Collection<Revision> named(String parameter) {
        JsonNode given = Json.parse(parameter);
        if (!given.isArray()) {
            throw CouchError.badRequest("Invalid list of revisions");
        }
        Set<Revision> named = new TreeSet<>();
        given.forEach(text -> named.add(Revision.parse(text.asText())));
        return named;
    }

    /** {@return the revision, or with {@code latest} all leaves that descend from it; empty when it is not stored} */
    static List<Doc> docs(Database database, String id, Revision rev, boolean latest) {
        Stream<Revision> wanted = latest
                ? database.tree(id).leavesFrom(rev).stream().map(Node::rev).sorted()
                : Stream.of(rev);
        return wanted.flatMap(one -> database.revision(id, one).stream()).toList();
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
