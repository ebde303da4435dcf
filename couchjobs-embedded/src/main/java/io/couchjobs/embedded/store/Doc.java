package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import java.util.List;

/** A revision of a document. The body is the reader's own copy. */
public record Doc(String id, long seq, RevTree tree, Node node, ObjectNode body) {
    public Revision rev() {
        return node.rev();
    }

    /** {@return the document as clients see it: {@code _id} and {@code _rev} first, then its members} */
    public ObjectNode json() {
        ObjectNode json = Json.object().put("_id", id).put("_rev", rev().toString());
        if (node.deleted()) {
            json.put("_deleted", true);
        }
        json.setAll(body);
        return json;
    }

    /** Returns {@link #json()} with the live leaves that are not the winner, if any. */
    public ObjectNode jsonWithConflicts() {
        return withRevs(json(), "_conflicts", tree.conflicts());
    }

    /** Returns {@link #json()} with the revision's ancestors. */
    public ObjectNode jsonWithHistory() {
        return withHistory(json(), tree.path(rev()));
    }

    /**
     * Adds the history of a revision to a document, and returns the document.
     *
     * @param path a revision and its ancestors, newest first
     */
    public static ObjectNode withHistory(ObjectNode json, List<Revision> path) {
        ObjectNode revisions =
                json.putObject("_revisions").put("start", path.get(0).pos());
        ArrayNode ids = revisions.putArray("ids");
        path.forEach(rev -> ids.add(rev.hash()));
        return json;
    }

    public static ObjectNode withRevs(ObjectNode json, String member, List<Revision> revs) {
        if (!revs.isEmpty()) {
            ArrayNode array = json.putArray(member);
            revs.forEach(rev -> array.add(rev.toString()));
        }
        return json;
    }
}
