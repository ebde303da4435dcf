package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.cluster.WriteAnswer;
import io.couchjobs.embedded.cluster.WriteRow;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.Revision;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads, writes and deletes one document of a cluster by quorum. */
final class ClusterDocument {
    private final Call call;
    private final ClusterNode node;
    private final String database;
    private final String id;

    ClusterDocument(Call call, ClusterNode node, String database, String id) {
        this.call = call;
        this.node = node;
        this.database = database;
        this.id = id;
    }

    static void post(Call call, ClusterNode node, String database) throws IOException {
        Edit edit = Edits.of(call.json());
        new ClusterDocument(call, node, database, edit.id()).store(edit, 201);
    }

    void handle() throws IOException {
        call.allow("DELETE", "GET", "HEAD", "PUT");
        switch (call.method()) {
            case "PUT" -> put();
            case "DELETE" -> delete();
            default -> get();
        }
    }

    private void put() throws IOException {
        boolean newEdits = call.param("new_edits").filter("false"::equals).isEmpty();
        Edit edit = Edits.of(call.parsed(), id, newEdits ? call.rev() : null);
        if (newEdits) {
            store(edit, Edits.statusOfPut(edit));
            return;
        }
        BulkHandler.requireRevisions(edit);
        answer(node.ask(database, (at, then) -> at.replicate(List.of(edit), then)), Edits.statusOfPut(edit));
    }

    /** Handles a local document. Its revision is not checked, and copies do not send each other missed local documents. */
    void handleLocal() throws IOException {
        call.allow("DELETE", "GET", "HEAD", "PUT");
        switch (call.method()) {
            case "PUT" -> {
                Edit edit = Edits.of(call.parsed(), id, call.rev());
                store(edit, Edits.statusOfPut(edit));
            }
            case "DELETE" -> {
                if (local().isEmpty()) {
                    throw CouchError.missing();
                }
                store(new Edit(id, List.of(), true, Json.object()), 200);
            }
            default -> LocalHandler.shown(call, local());
        }
    }

    private Optional<ObjectNode> local() throws IOException {
        return node.ask(database, (at, then) -> at.local(id, then));
    }

    private void delete() throws IOException {
        Doc winner = winner();
        if (winner.node().deleted()) {
            throw CouchError.deleted();
        }
        String rev = call.rev();
        List<Revision> base = rev == null ? List.of() : List.of(Revision.parse(rev));
        store(new Edit(id, base, true, Json.object()), 200);
    }

    private void store(Edit edit, int status) throws IOException {
        answer(ClusterBulk.write(call, node, database, List.of(edit)), status);
    }

    private void answer(WriteAnswer answer, int status) {
        WriteRow row = answer.rows().get(0);
        if (row.error() != null) {
            throw row.error();
        }
        String rev = String.valueOf(row.rev());
        call.etag(rev);
        call.answer(
                row.accepted() ? 202 : status,
                Json.object().put("ok", true).put("id", id).put("rev", rev));
    }

    private Doc winner() throws IOException {
        Optional<Doc> found = node.ask(database, (at, then) -> at.read(id, then));
        return found.orElseThrow(CouchError::missing);
    }

    private void get() throws IOException {
        Database own = node.own(database);
        if (call.param("open_revs").isPresent()) {
            OpenRevs.answer(call, leaves().stream().map(doc -> shown(own, doc)).toList());
            return;
        }
        String rev = call.flag("latest") ? null : call.param("rev").orElse(null);
        Doc doc = wanted(own, rev);
        DocShape shape = rev == null ? DocShape.of(call) : DocShape.of(call).ofRevision();
        call.etag(doc.rev().toString());
        call.answer(200, shape.json(own, doc));
    }

    private List<Doc> leaves() throws IOException {
        List<Doc> leaves = node.ask(database, (at, then) -> at.leaves(id, then));
        if (leaves.isEmpty()) {
            throw CouchError.missing();
        }
        return leaves;
    }

    private ObjectNode shown(Database own, Doc doc) {
        return Json.object().<ObjectNode>set("ok", DocShape.of(call).json(own, doc));
    }

    /** Returns the winner, or a named revision. A revision that is not a leaf is read from the node's own copy only. */
    private Doc wanted(Database own, @Nullable String rev) throws IOException {
        if (rev == null) {
            Doc winner = winner();
            if (winner.node().deleted()) {
                throw CouchError.deleted();
            }
            return winner;
        }
        Revision wanted = Revision.parse(rev);
        return leaves().stream()
                .filter(leaf -> leaf.rev().equals(wanted))
                .findFirst()
                .or(() -> own.revision(id, wanted))
                .orElseThrow(CouchError::missing);
    }
}
