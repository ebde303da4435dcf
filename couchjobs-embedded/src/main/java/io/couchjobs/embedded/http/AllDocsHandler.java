package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.feed.Seqs;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.IdRange;
import io.couchjobs.embedded.view.QueryArgs;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.h2.mvstore.Cursor;
import org.jspecify.annotations.Nullable;

/** Handles {@code _all_docs} and {@code _design_docs}: the documents by id. */
final class AllDocsHandler {
    private static final String DESIGN_FIRST = "_design/";
    private static final String DESIGN_LAST = "_design/\uDBFF\uDFFF";

    /** Reads the winning revision of one document. */
    @FunctionalInterface
    interface Lookup {
        Optional<Doc> find(String id) throws IOException;
    }

    void register(Map<String, DbHandler> handlers) {
        handlers.put("_all_docs", (call, db) -> handle(call, db.database(), false));
        handlers.put("_design_docs", (call, db) -> handle(call, db.database(), true));
    }

    private static void handle(Call call, Database database, boolean designOnly) throws IOException {
        call.allow("GET", "HEAD", "POST");
        boolean several = call.segment(2).equals("queries");
        Queries.run(call, several, (args, out) -> answer(database, args, designOnly, call.is("POST"), out));
    }

    static void answer(Database database, QueryArgs args, boolean designOnly, boolean fromBody, OutputStream out)
            throws IOException {
        RowWriter rows = new RowWriter(out);
        Optional<List<JsonNode>> keys = args.ids(fromBody);
        String seq = args.updateSeq() ? Seqs.text(database, database.committedSeq()) : null;
        if (keys.isPresent()) {
            rows.begin(database.docCount(), -1, seq);
            byKeys(database, args, keys.get(), database::winner, rows);
        } else {
            byRange(database, args, designOnly, rows, seq);
        }
        rows.end();
    }

    static void byKeys(Database database, QueryArgs args, List<JsonNode> keys, Lookup lookup, RowWriter rows)
            throws IOException {
        List<JsonNode> wanted = new ArrayList<>(keys);
        if (args.descending()) {
            Collections.reverse(wanted);
        }
        Iterator<JsonNode> page =
                wanted.stream().skip(args.skip()).limit(args.limit()).iterator();
        while (page.hasNext()) {
            rows.row(keyRow(database, args, page.next(), lookup));
        }
    }

    private static ObjectNode keyRow(Database database, QueryArgs args, JsonNode key, Lookup lookup)
            throws IOException {
        Optional<Doc> doc = key.isTextual() ? lookup.find(key.textValue()) : Optional.empty();
        if (doc.isEmpty()) {
            ObjectNode row = Json.object();
            row.set("key", key);
            return row.put("error", "not_found");
        }
        ObjectNode row = row(key.textValue(), doc.get().rev().toString());
        if (doc.get().node().deleted()) {
            ((ObjectNode) row.get("value")).put("deleted", true);
        }
        if (args.includeDocs()) {
            row.set("doc", doc.get().node().deleted() ? null : docJson(database, args, doc.get()));
        }
        return row;
    }

    private static ObjectNode row(String id, String rev) {
        ObjectNode row = Json.object().put("id", id).put("key", id);
        row.putObject("value").put("rev", rev);
        return row;
    }

    private static JsonNode docJson(Database database, QueryArgs args, Doc doc) {
        return DocShape.ofRow(args.conflicts(), args.attachments()).json(database, doc);
    }

    private static void byRange(
            Database database, QueryArgs args, boolean designOnly, RowWriter rows, @Nullable String seq)
            throws IOException {
        IdRange live = database.live();
        String from = text(args.startKey(), designOnly && !args.descending() ? DESIGN_FIRST : null);
        String to = text(args.endKey(), designOnly && !args.descending() ? DESIGN_LAST : null);
        if (designOnly && args.descending()) {
            from = text(args.startKey(), DESIGN_LAST);
            to = text(args.endKey(), DESIGN_FIRST);
        }
        if (isUnfindable(args.startKey()) && isUnfindable(args.endKey())) {
            rows.begin(live.size(), 0, seq);
            return;
        }
        long offset = Math.min(live.size(), offset(live, from, args.descending()) + args.skip());
        rows.begin(designOnly ? countDesigns(live) : live.size(), designOnly ? 0 : offset, seq);
        Cursor<String, String> cursor = live.cursor(from, to, args.descending());
        long skip = args.skip();
        long left = args.limit();
        while (left > 0 && cursor.hasNext()) {
            String id = cursor.next();
            boolean excluded = !args.inclusiveEnd() && id.equals(to);
            if (!excluded && skip-- <= 0 && write(database, args, rows, id, cursor.getValue())) {
                left--;
            }
        }
    }

    private static long countDesigns(IdRange live) {
        return live.countBefore(DESIGN_LAST) - live.countBefore(DESIGN_FIRST);
    }

    /** Writes a row. Returns false, without writing, when the row should include a document that has been deleted meanwhile. */
    private static boolean write(Database database, QueryArgs args, RowWriter rows, String id, String rev)
            throws IOException {
        if (!args.includeDocs()) {
            rows.row(row(id, rev));
            return true;
        }
        Optional<Doc> doc = database.live(id);
        if (doc.isPresent()) {
            ObjectNode row = row(id, doc.get().rev().toString());
            rows.row(row.set("doc", docJson(database, args, doc.get())));
        }
        return doc.isPresent();
    }

    private static long offset(IdRange live, @Nullable String from, boolean descending) {
        if (from == null) {
            return 0;
        }
        long before = live.countBefore(from);
        return descending ? live.size() - before - (live.rev(from) == null ? 0 : 1) : before;
    }

    /** Returns whether a key cannot be a document id. */
    private static boolean isUnfindable(@Nullable JsonNode key) {
        return key != null && key.isNumber();
    }

    private static @Nullable String text(@Nullable JsonNode key, @Nullable String otherwise) {
        return key != null && key.isTextual() ? key.textValue() : otherwise;
    }

    static void localDocs(Call call, Db db) throws IOException {
        call.allow("GET", "HEAD");
        LazyOutput out = new LazyOutput(call);
        RowWriter rows = new RowWriter(out).beginUncounted();
        Iterator<String> ids = db.database().local().ids();
        while (ids.hasNext()) {
            String id = ids.next();
            ObjectNode doc = db.database().local().read(id).orElseThrow(CouchError::missing);
            rows.row(row(id, doc.path("_rev").asText()));
        }
        rows.end();
        out.close();
    }
}
