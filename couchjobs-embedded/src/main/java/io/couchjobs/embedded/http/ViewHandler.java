package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.feed.Seqs;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.tree.Revision;
import io.couchjobs.embedded.view.QueryArgs;
import io.couchjobs.embedded.view.ViewGroup;
import io.couchjobs.embedded.view.ViewReader;
import io.couchjobs.embedded.view.ViewResult;
import io.couchjobs.embedded.view.ViewRow;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles the views of a design document. */
final class ViewHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ViewHandler.class);

    private final String designId;

    ViewHandler(String designId) {
        this.designId = designId;
    }

    void handle(Call call, Db db) throws IOException {
        call.allow("GET", "POST", "HEAD");
        String view = call.segment(4);
        boolean several = call.segment(5).equals("queries");
        ViewGroup group = db.views().group(designId);
        ViewReader reader = new ViewReader(group, view);
        Queries.run(call, several, (args, out) -> answer(db.database(), group, reader, args, out));
    }

    private static void answer(Database database, ViewGroup group, ViewReader reader, QueryArgs args, OutputStream out)
            throws IOException {
        String update = args.update();
        if (update.equals("true")) {
            group.refresh();
        }
        write(database, reader.read(args), args, new RowWriter(out));
        if (update.equals("lazy")) {
            refreshLater(database, group);
        }
    }

    private static void refreshLater(Database database, ViewGroup group) {
        Thread thread = new Thread(null, () -> refresh(database, group), "embedded-couch-index", Frontend.STACK);
        thread.setDaemon(true);
        thread.start();
    }

    private static void refresh(Database database, ViewGroup group) {
        try {
            group.refresh();
        } catch (RuntimeException trouble) {
            if (!database.isClosed()) {
                throw trouble;
            }
            LOG.debug("{} was deleted or closed while an index was being built", database.name(), trouble);
        }
    }

    private static void write(Database database, ViewResult result, QueryArgs args, RowWriter rows) throws IOException {
        if (result.isReduced() && args.includeDocs()) {
            throw CouchError.queryParse("`include_docs` is invalid for reduce");
        }
        String seq = args.updateSeq() ? Seqs.text(database, result.seq()) : null;
        rows.begin(result.total(), result.offset(), seq);
        while (result.rows().hasNext()) {
            ViewRow row = result.rows().next();
            JsonNode doc = args.includeDocs() && row.id() != null ? doc(database, args, row, row.id()) : null;
            rows.row(row.id(), row.key(), row.value(), doc);
        }
        rows.end();
    }

    /** Returns the document that the row's value names, or else the row's own document. */
    private static JsonNode doc(Database database, QueryArgs args, ViewRow row, String id) {
        JsonNode value = Json.parse(row.value());
        String linked = value.path("_id").asText(id);
        Optional<Doc> doc = value.path("_rev").isTextual()
                ? database.revision(linked, Revision.parse(value.path("_rev").textValue()))
                : database.live(linked);
        return doc.<JsonNode>map(found ->
                        DocShape.ofRow(args.conflicts(), args.attachments()).json(database, found))
                .orElse(NullNode.getInstance());
    }

    static void info(Call call, Db db, String designId) {
        call.allow("GET");
        ViewGroup group = db.views().group(designId);
        ObjectNode answer = Json.object().put("name", designId.substring("_design/".length()));
        ObjectNode info = answer.putObject("view_index")
                .put("signature", group.signature())
                .put("language", "javascript")
                .put("updater_running", false)
                .put("compact_running", false)
                .put("waiting_clients", 0)
                .put("waiting_commit", false)
                .put("update_seq", group.seq())
                .put("purge_seq", db.database().purgeSeq());
        info.putObject("sizes").put("file", 0).put("active", 0).put("external", 0);
        long pending = Math.max(0, db.database().pending(group.seq()));
        info.putObject("updates_pending")
                .put("minimum", pending)
                .put("preferred", pending)
                .put("total", pending);
        call.answer(200, answer);
    }
}
