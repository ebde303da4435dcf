package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;

/** The metadata that a reader wants to see in addition to a document's content. */
record DocShape(
        boolean revs,
        boolean revsInfo,
        boolean conflicts,
        boolean deletedConflicts,
        boolean localSeq,
        boolean attachments) {
    static final DocShape PLAIN = new DocShape(false, false, false, false, false, false);

    static DocShape of(Call call) {
        boolean meta = call.flag("meta");
        return new DocShape(
                call.flag("revs"),
                meta || call.flag("revs_info"),
                meta || call.flag("conflicts"),
                meta || call.flag("deleted_conflicts"),
                call.flag("local_seq"),
                call.flag("attachments"));
    }

    static DocShape ofRow(boolean conflicts, boolean attachments) {
        return new DocShape(false, false, conflicts, false, false, attachments);
    }

    /** {@return this shape for a named revision, of which CouchDB shows only the history and the attachments as metadata} */
    DocShape ofRevision() {
        return new DocShape(revs, false, false, false, false, attachments);
    }

    ObjectNode json(Database database, Doc doc) {
        ObjectNode json = doc.json();
        RevTree tree = doc.tree();
        database.attachments().present(json, attachments);
        if (revs) {
            Doc.withHistory(json, tree.path(doc.rev()));
        }
        if (revsInfo) {
            json.set("_revs_info", revsInfo(database, tree, doc.rev()));
        }
        if (conflicts) {
            Doc.withRevs(json, "_conflicts", tree.conflicts());
        }
        if (deletedConflicts) {
            Doc.withRevs(json, "_deleted_conflicts", tree.deletedConflicts());
        }
        if (localSeq) {
            json.put("_local_seq", doc.seq());
        }
        return json;
    }

    private static ArrayNode revsInfo(Database database, RevTree tree, Revision rev) {
        ArrayNode info = Json.array();
        for (Revision one : tree.path(rev)) {
            Node node = tree.find(one).orElseThrow();
            String status = !database.isAvailable(node) ? "missing" : node.deleted() ? "deleted" : "available";
            info.addObject().put("rev", one.toString()).put("status", status);
        }
        return info;
    }
}
