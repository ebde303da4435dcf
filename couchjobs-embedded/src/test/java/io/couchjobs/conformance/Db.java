package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** One database of a server; every path is relative to it, as in {@code "/_changes"}. */
record Db(Couch couch, String name) {

    String path() {
        return "/" + Couch.escape(name);
    }

    Reply get(String path, String... headers) {
        return couch.get(path() + path, headers);
    }

    Reply put(String path, JsonNode body, String... headers) {
        return couch.put(path() + path, body, headers);
    }

    Reply put(String path, String literal) {
        return put(path, json(literal));
    }

    Reply post(String path, JsonNode body, String... headers) {
        return couch.post(path() + path, body, headers);
    }

    Reply post(String path, String literal) {
        return post(path, json(literal));
    }

    Reply delete(String path, String... headers) {
        return couch.delete(path() + path, headers);
    }

    Reply send(String method, String path, String... headers) {
        return couch.send(method, path() + path, headers);
    }

    Reply sendRaw(String method, String path, byte[] body, String... headers) {
        return couch.sendRaw(method, path() + path, body, headers);
    }

    CompletableFuture<Reply> getLater(String path) {
        return couch.getLater(path() + path);
    }

    Feed feed(String path, String... headers) {
        return couch.feed(path() + path, headers);
    }

    Reply read(String id) {
        return get("/" + Couch.escape(id));
    }

    /** Stores a document that must be accepted; returns its new revision. */
    String save(String literal) {
        return save(object(literal));
    }

    String save(ObjectNode doc) {
        String id = Couch.escape(doc.path("_id").asText()).replace("_design%2F", "_design/");
        return put("/" + id, doc).expect(201, 202).rev();
    }

    /** Deletes a document at its revision; returns the revision of the tombstone. */
    String remove(String id, String rev) {
        return delete("/" + Couch.escape(id) + Couch.query("rev", rev))
                .expect(200, 202)
                .rev();
    }

    /** Stores a revision as replication does: with its history, newest hash first. */
    void graft(String id, String body, String... hashes) {
        ObjectNode doc = object(body).put("_id", id).put("_rev", hashes.length + "-" + hashes[0]);
        ObjectNode revisions = doc.putObject("_revisions").put("start", hashes.length);
        for (String hash : hashes) {
            revisions.withArray("ids").add(hash);
        }
        ObjectNode batch = object("{new_edits: false}");
        batch.putArray("docs").add(doc);
        post("/_bulk_docs", batch).expect(201, 202);
    }

    /** Stores documents with {@code _id} and {@code n} of these numbers, as {@code "n07"}. */
    void fill(int first, int last) {
        ObjectNode batch = object();
        IntStream.rangeClosed(first, last).forEach(n -> batch.withArray("docs")
                .addObject()
                .put("_id", "n%02d".formatted(n))
                .put("n", n));
        post("/_bulk_docs", batch).expect(201, 202);
    }

    /** Makes a view {@code _design/t/_view/v} of one map function. */
    void view(String map) {
        ObjectNode design = object("{_id: '_design/t', views: {v: {}}}");
        design.withObject("/views/v").put("map", map);
        save(design);
    }

    void view(String map, String reduce) {
        ObjectNode design = object("{_id: '_design/t', views: {v: {}}}");
        design.withObject("/views/v").put("map", map).put("reduce", reduce);
        save(design);
    }

    /** Makes the database ask this function before every write. */
    String validate(String function) {
        return save(object("{_id: '_design/rules'}").put("validate_doc_update", function));
    }

    /** Queries the view of {@link #view} with name and value pairs. */
    Reply query(String... pairs) {
        return get("/_design/t/_view/v" + Couch.query(pairs));
    }

    Reply allDocs(String... pairs) {
        return get("/_all_docs" + Couch.query(pairs));
    }

    Reply changes(String... pairs) {
        return get("/_changes" + Couch.query(pairs));
    }

    /** The position of the feed after everything written so far. */
    String position() {
        return changes("since", "now").text("/last_seq");
    }
}
