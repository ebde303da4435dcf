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
 * A database on a CouchDB server. Thread-safe. Every method that asks the server may throw {@link CouchException};
 * {@link CouchNotFoundException} when the database is not there.
 *
 * <p>Documents are {@link ObjectNode}s, as CouchDB gives and takes them, with {@code _id} and {@code _rev}.
 */
public final class CouchDatabase extends BareDatabase {

    private final CouchServer server;
    private final Documents documents;
    private final Views views;

    CouchDatabase(CouchServer server, String name) {
        super(server.http(), name);
        this.server = server;
        this.documents = new Documents(http, path);
        this.views = new Views(http, name);
    }

    /** {@return the server it is on} */
    public CouchServer server() {
        return server;
    }

    /**
     * {@return the document; empty when it is missing or deleted} Levels of nesting below the 900th are left out, here
     * and wherever documents are read; such a document cannot be written back.
     *
     * @param id its id, {@code _design/...} and {@code _local/...} included
     */
    public Optional<ObjectNode> get(String id) {
        return documents.get(id);
    }

    /**
     * {@return one revision of a document, also a tombstone; empty when there is none or it was compacted away}
     *
     * @param id the document's id
     * @param rev the revision
     */
    public Optional<ObjectNode> get(String id, String rev) {
        return documents.get(id, rev);
    }

    /**
     * {@return the document, with {@code _conflicts} when it has more than one leaf that is not deleted; empty when it is
     * missing or deleted}
     *
     * @param id its id
     */
    public Optional<ObjectNode> getWithConflicts(String id) {
        return documents.getWithConflicts(id);
    }

    /**
     * {@return all leaves of a document in any order, tombstones (with {@code _deleted}) too; none when there never was such a
     * document}
     *
     * @param id the document's id
     */
    public List<ObjectNode> leaves(String id) {
        return documents.leaves(id);
    }

    /**
     * Reads the leaves of a document and the history of each.
     *
     * @param id the document's id
     * @return as {@link #leaves} has them, each with {@code _revisions}: {@code start}, its generation, and {@code ids}, the
     *     hashes of its revisions from the newest on
     */
    public List<ObjectNode> leavesWithHistories(String id) {
        return documents.leavesWithHistories(id);
    }

    /**
     * The leaves of many documents in one request ({@code _bulk_get}), on a cluster as far as a majority of the copies has
     * them, or as many copies as are in reach.
     *
     * @param ids their ids
     * @return one entry per id, in their order: its leaves as {@link #leavesWithHistories} has them, or empty when the server
     *     could not read this document
     */
    public List<Optional<List<ObjectNode>>> leavesOfAll(List<String> ids) {
        return documents.leavesOfAll(ids);
    }

    /**
     * {@return the names of a document's attachments; none when it has none, is missing or deleted} Their lengths and types are
     * in the document that {@link #get(String)} returns, under {@code _attachments}.
     *
     * @param id the document's id
     */
    public List<String> attachmentNames(String id) {
        return documents.attachmentNames(id);
    }

    /**
     * {@return an attachment of a document; empty when the document or the attachment is missing}
     *
     * @param id the document's id
     * @param name the attachment's name
     */
    public Optional<byte[]> attachment(String id, String name) {
        return attachment(id, "", name);
    }

    /**
     * {@return an attachment of one revision of a document; empty when there is none or the revision was compacted away}
     *
     * @param id the document's id
     * @param rev the revision; an empty string for the one that readers see
     * @param name the attachment's name
     */
    public Optional<byte[]> attachment(String id, String rev, String name) {
        return documents.attachment(id, rev, name);
    }

    /**
     * The attachments of that name of many documents in one request ({@code _bulk_get}). All others that these documents have
     * come along over the wire.
     *
     * @param docs documents, of which {@code _id} and {@code _rev} say which revision
     * @param name the attachments' name
     * @return one entry per document, in their order; empty where it could not be read
     */
    public List<Optional<byte[]>> attachments(List<ObjectNode> docs, String name) {
        return documents.attachments(docs, name);
    }

    /**
     * {@return the ancestors of a revision, newest first, itself included; empty when there is no such revision}
     *
     * @param id the document's id
     * @param rev the revision, which may be a tombstone
     */
    public List<String> history(String id, String rev) {
        return documents.history(id, rev);
    }

    /**
     * Many documents in one request.
     *
     * @param ids their ids
     * @return one entry per id, in their order; empty for a missing or deleted document
     */
    public List<Optional<ObjectNode>> getAll(List<String> ids) {
        return documents.getAll(ids);
    }

    /**
     * Writes many documents in one request. Each is stored or not on its own.
     *
     * @param docs the documents, each with an {@code _id}; to change or delete one, with its {@code _rev}
     * @return one result per document, in their order
     * @throws IllegalArgumentException a document has no id
     * @throws CouchUnauthorizedException the server took none of them
     * @throws CouchException the request failed as a whole; see {@link CouchException#outcomeUnknown}. With 400 or 413
     *     one document (a field starting with {@code _}, or too large) made the server refuse them all
     */
    public List<WriteResult> bulkDocs(List<ObjectNode> docs) {
        return documents.bulk(docs);
    }

    /**
     * Stores revisions as they are, as replication does ({@code new_edits=false}): at each copy that is in reach, whatever leaves
     * it has. The answer does not say which copies refused a revision; a reading shows it.
     *
     * @param docs the revisions, each with {@code _id}, {@code _rev} and {@code _revisions}
     * @throws CouchException the request failed as a whole; it can be sent again without harm
     */
    public void bulkRevisions(List<ObjectNode> docs) {
        documents.bulkRevisions(docs);
    }

    /**
     * Writes one document.
     *
     * @param doc the document with an {@code _id}; to change or delete it, with its {@code _rev}
     * @return the result
     * @throws IllegalArgumentException the document has no id
     * @throws CouchUnauthorizedException the server does not let this user write here at all
     */
    public WriteResult put(ObjectNode doc) {
        return documents.put(doc);
    }

    /**
     * Stores one document, for a caller that cannot wait as long as others: by a connection that others do not use.
     *
     * @param doc the document, with its {@code _id}
     * @param patience how long the server may be silent
     * @return the server's answer
     * @throws CouchUnreachableException when the server was silent for longer; the write may have been stored
     */
    public WriteResult put(ObjectNode doc, Duration patience) {
        return documents.put(doc, patience);
    }

    /**
     * {@return the rows of a view, all of them in memory: set a limit}
     *
     * @param query which rows
     * @throws CouchNotFoundException no such design document or view
     * @throws IndexBeingBuiltException the server, or {@link CouchConfig#responseTimeout}, gave up waiting for the index
     */
    public ViewResult view(ViewQuery query) {
        return views.ask(query);
    }

    /**
     * Several questions to one view in one request.
     *
     * @param queries at least one, all of the same view
     * @return one answer per query, in their order
     * @throws IllegalArgumentException no query, or queries of different views
     */
    public List<ViewResult> views(List<ViewQuery> queries) {
        return views.ask(queries);
    }

    /**
     * Opens a changes feed on a connection of its own; see {@link CouchConfig#maxFeedConnections}. When this returns, the
     * server has accepted the request.
     *
     * @param request which changes
     * @return the feed; to be closed
     */
    public ChangesFeed changes(ChangesRequest request) {
        Duration silence = request.longestSilence(server.config().responseTimeout());
        return OpenFeed.open(http, request.call(path), request, silence, http.environment());
    }

    /**
     * {@return whether a document is there and matches a selector}
     *
     * @param id the document's id
     * @param selector a Mango selector
     * @throws CouchException the server cannot select, or does not take the selector
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

    /** {@return the feed position now, opaque} */
    public String currentSeq() {
        return info().updateSeq();
    }

    /**
     * Removes leaves as if they had never been, tombstones too. Some copies may follow later.
     *
     * @param idRevs by document id, the leaves to remove; a server takes at most 100 ids at a time by default
     * @return by document id, the leaves that are gone; an id whose leaves were not there has an empty list
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
     * {@return the index of a design document in numbers}
     *
     * @param designDoc its name, with or without {@code _design/}
     * @throws CouchNotFoundException there is no such design document
     */
    public ViewInfo viewInfo(String designDoc) {
        return views.info(designDoc);
    }

    /**
     * {@return how many changes the index of a design document lacks; 0 when it is up to date, or the server does not say}
     *
     * @param designDoc its name, with or without {@code _design/}
     * @throws CouchNotFoundException there is no such design document
     */
    public long changesToIndex(String designDoc) {
        return views.changesToIndex(designDoc);
    }

    /**
     * {@return how far the index of a design document is; empty when it is up to date}
     *
     * @param designDoc its name, with or without {@code _design/}
     * @throws CouchNotFoundException there is no such design document
     */
    public Optional<IndexBeingBuiltException.Progress> indexProgress(String designDoc) {
        return views.progress(designDoc);
    }

    @Override
    public String toString() {
        return "CouchDatabase[" + name() + "]";
    }

    /**
     * The index of a design document in numbers, as of one moment.
     *
     * @param fileSize bytes on disk; -1 when the server does not say
     * @param activeSize bytes still in use, which a compaction would leave; -1 when the server does not say
     * @param compacting whether it is being compacted
     * @param updating whether it is catching up with the documents
     */
    public record ViewInfo(long fileSize, long activeSize, boolean compacting, boolean updating) {}
}
