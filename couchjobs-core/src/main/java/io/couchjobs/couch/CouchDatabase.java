package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.UrlPath;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A database on a CouchDB server. Thread-safe. Every method that sends a request may throw {@link CouchException}, and {@link
 * CouchNotFoundException} when the database does not exist.
 *
 * <p>Documents are {@link ObjectNode}s in CouchDB's own format, with {@code _id} and {@code _rev}.
 */
public final class CouchDatabase extends ReadableDatabase {

    private final CouchServer server;

    CouchDatabase(CouchServer server, String name) {
        super(server.http(), name);
        this.server = server;
    }

    /** {@return the server of this database} */
    public CouchServer server() {
        return server;
    }

    /**
     * Writes many documents in one request. Each document is stored or refused independently.
     *
     * @param docs the documents, each with an {@code _id}; a change or deletion also needs the {@code _rev}
     * @return one result per document, in their order
     * @throws IllegalArgumentException if a document has no id
     * @throws CouchUnauthorizedException if the server refused all of them
     * @throws CouchException if the request failed as a whole; see {@link CouchException#outcomeUnknown}. The status is 400
     *     or 413 when the server refused them all because of one document, which has a field starting with {@code _} or is
     *     too large
     */
    public List<WriteResult> bulkDocs(List<ObjectNode> docs) {
        docs.forEach(ReadableDatabase::idOf);
        if (docs.isEmpty()) {
            return List.of();
        }
        Call call = Call.write("POST", path.segment("_bulk_docs"), bulkBody(docs, true));
        return http.exchange(
                call,
                answer -> WriteResults.ofBulk(
                        answer, docs.stream().map(ReadableDatabase::idOf).toList()));
    }

    /**
     * Stores revisions as they are, as replication does ({@code new_edits=false}): at each reachable copy, whatever leaves
     * the copy has. The answer does not say which copies refused a revision; only a read shows it.
     *
     * @param docs the revisions, each with {@code _id}, {@code _rev} and {@code _revisions}
     * @throws CouchException if the request failed as a whole; it can be repeated without harm
     */
    public void bulkRevisions(List<ObjectNode> docs) {
        var unused = bulkRevisions(docs, path.segment("_bulk_docs"));
    }

    /**
     * Stores revisions as {@link #bulkRevisions(List)} does; the server waits for a number of copies before it answers.
     *
     * @param docs the revisions, each with {@code _id}, {@code _rev} and {@code _revisions}
     * @param copies how many copies must have stored the revisions, or be unreachable, before the server answers
     * @return whether this many copies stored the revisions, and no copy that answered refused one
     * @throws CouchException if the request failed as a whole; it can be repeated without harm
     */
    public boolean bulkRevisions(List<ObjectNode> docs, int copies) {
        return bulkRevisions(docs, path.segment("_bulk_docs").query("w", String.valueOf(copies)));
    }

    private boolean bulkRevisions(List<ObjectNode> docs, UrlPath target) {
        docs.forEach(ReadableDatabase::idOf);
        return docs.isEmpty()
                || http.exchange(
                        Call.write("POST", target, bulkBody(docs, false)),
                        answer -> answer.array().isEmpty() && answer.status() == 201); // 202: fewer copies stored them
    }

    /**
     * Writes one document.
     *
     * @param doc the document with an {@code _id}; to change or delete it, with its {@code _rev}
     * @return the result
     * @throws IllegalArgumentException if the document has no id
     * @throws CouchUnauthorizedException if this user may not write to the database
     */
    public WriteResult put(ObjectNode doc) {
        return put(doc, path.document(idOf(doc)));
    }

    /**
     * Writes one document to a number of copies.
     *
     * @param doc the document with an {@code _id}; to change or delete it, with its {@code _rev}
     * @param copies how many copies must store the document for {@link WriteResult.Stored}; with fewer, the result is {@link
     *     WriteResult.Accepted}
     * @return the result
     * @throws IllegalArgumentException if the document has no id
     * @throws CouchUnauthorizedException if this user may not write to the database
     */
    public WriteResult put(ObjectNode doc, int copies) {
        return put(doc, path.document(idOf(doc)).query("w", String.valueOf(copies)));
    }

    private WriteResult put(ObjectNode doc, UrlPath target) {
        return http.exchange(putting(doc, target), answer -> WriteResults.ofPut(answer, idOf(doc)));
    }

    /**
     * Writes one document for a caller with a short timeout, on a connection that is reserved for these calls.
     *
     * @param doc the document, with its {@code _id}
     * @param patience how long the server may be silent
     * @return the server's answer
     * @throws CouchUnreachableException if the server was silent for longer; the document may have been stored
     */
    public WriteResult put(ObjectNode doc, Duration patience) {
        String id = idOf(doc);
        return http.renew(putting(doc, path.document(id)), patience, answer -> WriteResults.ofPut(answer, id));
    }

    /**
     * Reads a document as {@link #get(String)} does, on a connection that is reserved for callers with a short timeout.
     *
     * @param id the document's id
     * @param patience how long each node may be silent
     * @return the document; empty when it is missing or deleted
     * @throws CouchUnreachableException if all nodes were silent for longer
     */
    public Optional<ObjectNode> get(String id, Duration patience) {
        return http.renew(Call.get(path.document(id)), patience, answer -> found(answer, id));
    }

    private static Call putting(ObjectNode doc, UrlPath target) {
        return Call.write("PUT", target, Json.bytes(doc));
    }

    private static byte[] bulkBody(List<ObjectNode> docs, boolean newEdits) {
        return Json.bytes(out -> {
            out.writeStartObject();
            if (!newEdits) {
                out.writeBooleanField("new_edits", false);
            }
            out.writeArrayFieldStart("docs");
            for (ObjectNode doc : docs) {
                Json.MAPPER.writeTree(out, doc);
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }

    /**
     * Opens a changes feed on a connection of its own; see {@link CouchConfig#maxFeedConnections}. Returns when the server
     * has accepted the request.
     *
     * @param request which changes
     * @return the feed, which the caller must close
     */
    public ChangesFeed changes(ChangesRequest request) {
        Duration silence = request.longestSilence(server.config().responseTimeout());
        return OpenFeed.open(http, request.call(path), request, silence, http.environment());
    }

    /**
     * {@return whether a document exists and matches a selector}
     *
     * @param id the document's id
     * @param selector a Mango selector
     * @throws CouchException if the server does not support selectors, or refuses this one
     */
    public boolean matches(String id, ObjectNode selector) {
        ObjectNode question = Json.object().put("limit", 1);
        question.putObject("selector")
                .putArray("$and")
                .add(Json.object().put("_id", id))
                .add(selector.deepCopy());
        return http.exchange(
                Call.ask(path.segment("_find"), question),
                answer -> !answer.object().path("docs").isEmpty());
    }

    /**
     * {@return how many changes come after a position; empty when the server does not say}
     *
     * @param since the position
     */
    public OptionalLong pending(String since) {
        UrlPath changes = path.segment("_changes").query("since", since).query("limit", "0");
        JsonNode pending = http.exchange(Call.get(changes), Answer::object).path("pending");
        return pending.isNumber() ? OptionalLong.of(pending.longValue()) : OptionalLong.empty();
    }

    /** {@return the present feed position, an opaque text} */
    public String currentSeq() {
        return info().updateSeq();
    }

    /**
     * Removes leaves, including tombstones, as if they had never existed. Some copies may remove them later.
     *
     * @param idRevs by document id, the leaves to remove; a server takes at most 100 ids at a time by default
     * @return by document id, the leaves that were removed; an id whose leaves did not exist has an empty list
     */
    public Map<String, List<String>> purge(Map<String, List<String>> idRevs) {
        return http.exchange(Call.write("POST", path.segment("_purge"), Json.bytes(Json.value(idRevs))), answer -> {
            Map<String, List<String>> purged = new TreeMap<>();
            answer.object()
                    .path("purged")
                    .properties()
                    .forEach(leaves -> purged.put(leaves.getKey(), Json.texts(leaves.getValue())));
            return purged;
        });
    }

    /**
     * {@return the statistics of the index of a design document}
     *
     * @param designDoc the design document's name, with or without {@code _design/}
     * @throws CouchNotFoundException if there is no such design document
     */
    public ViewInfo viewInfo(String designDoc) {
        JsonNode index = index(designDoc);
        JsonNode sizes = index.path("sizes");
        return new ViewInfo(
                sizes.path("file").asLong(-1),
                sizes.path("active").asLong(-1),
                index.path("compact_running").asBoolean(),
                index.path("updater_running").asBoolean());
    }

    @Override
    public String toString() {
        return "CouchDatabase[" + name() + "]";
    }

    /**
     * Statistics of the index of a design document, as of one moment.
     *
     * @param fileSize bytes on disk; -1 when the server does not say
     * @param activeSize bytes in use, which a compaction would keep; -1 when the server does not say
     * @param compacting whether the index is being compacted
     * @param updating whether the index is being updated
     */
    public record ViewInfo(long fileSize, long activeSize, boolean compacting, boolean updating) {}
}
