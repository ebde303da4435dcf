package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.UrlPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/** The reading of documents. Thread-safe. These methods are part of the public class {@link CouchDatabase}. */
abstract class ReadableDatabase extends IndexedDatabase {

    /** Compares the generations, by their number of digits first, and then the hashes. */
    private static final Comparator<String> BY_GENERATION =
            Comparator.<String>comparingInt(rev -> rev.indexOf('-')).thenComparing(Comparator.naturalOrder());

    /** CouchDB's reasons for a missing document; a 404 with any other reason is about the path. */
    private static final Set<String> NO_SUCH_DOCUMENT = Set.of("missing", "deleted");

    ReadableDatabase(Http http, String name) {
        super(http, name);
    }

    /**
     * {@return the document; empty when it is missing or deleted} All methods that read documents omit levels of nesting
     * below the 900th. A document that was cut off like this cannot be written back.
     *
     * @param id the document's id, which may be {@code _design/...} or {@code _local/...}
     */
    public Optional<ObjectNode> get(String id) {
        return get(id, path.document(id));
    }

    /**
     * {@return one revision of a document, which may be a tombstone; empty when it does not exist or was compacted away}
     *
     * @param id the document's id
     * @param rev the revision
     */
    public Optional<ObjectNode> get(String id, String rev) {
        return get(id, path.document(id).query("rev", rev));
    }

    /**
     * {@return the document, with {@code _conflicts} when it has more than one leaf that is not deleted; empty when it is
     * missing or deleted}
     *
     * @param id the document's id
     */
    public Optional<ObjectNode> getWithConflicts(String id) {
        return get(id, path.document(id).query("conflicts", "true"));
    }

    /**
     * {@return all leaves of a document in any order, including tombstones (with {@code _deleted}); none when the document
     * never existed}
     *
     * @param id the document's id
     */
    public List<ObjectNode> leaves(String id) {
        return leaves(id, path.document(id).query("open_revs", "all"));
    }

    /**
     * Reads the leaves of a document with their histories.
     *
     * @param id the document's id
     * @return the leaves as in {@link #leaves}, each with {@code _revisions}: its generation ({@code start}) and the hashes
     *     of its revisions, newest first ({@code ids})
     */
    public List<ObjectNode> leavesWithHistories(String id) {
        return leaves(id, path.document(id).query("open_revs", "all").query("revs", "true"));
    }

    private List<ObjectNode> leaves(String id, UrlPath target) {
        return http.exchange(Call.get(target), answer -> {
            if (answer.status() == 404) {
                requireNoSuchDocument(answer);
                return List.of();
            }
            List<ObjectNode> leaves = new ArrayList<>();
            for (JsonNode leaf : answer.array()) {
                if (leaf.path("ok") instanceof ObjectNode document) {
                    leaves.add(requireId(answer, document, id));
                }
            }
            return onePerRevision(leaves);
        });
    }

    /**
     * Removes duplicates. A cluster lists a leaf twice when one of the copies knows only the end of the leaf's history. The
     * entry with the longer history is kept.
     */
    private static List<ObjectNode> onePerRevision(List<ObjectNode> shown) {
        Map<String, ObjectNode> leaves = new LinkedHashMap<>();
        for (ObjectNode leaf : shown) {
            leaves.merge(
                    Json.text(leaf, "_rev"), leaf, (one, other) -> ancestors(one) >= ancestors(other) ? one : other);
        }
        return List.copyOf(leaves.values());
    }

    private static int ancestors(ObjectNode leaf) {
        return leaf.path("_revisions").path("ids").size();
    }

    /**
     * Reads the leaves of many documents in one request ({@code _bulk_get}). On a cluster, the server asks a majority of the
     * copies, or as many copies as are reachable.
     *
     * @param ids the documents' ids
     * @return one entry per id, in their order: the leaves as in {@link #leavesWithHistories}, or empty when the server could
     *     not read this document
     */
    public List<Optional<List<ObjectNode>>> leavesOfAll(List<String> ids) {
        return leavesOfAll(ids, path.segment("_bulk_get"));
    }

    /**
     * Reads the leaves of many documents as {@link #leavesOfAll(List)} does, from a given number of copies.
     *
     * @param ids the documents' ids
     * @param copies how many copies the server asks for each document; it asks fewer when not as many are reachable
     * @return as in {@link #leavesOfAll(List)}
     */
    public List<Optional<List<ObjectNode>>> leavesOfAll(List<String> ids, int copies) {
        return leavesOfAll(ids, path.segment("_bulk_get").query("r", String.valueOf(copies)));
    }

    private List<Optional<List<ObjectNode>>> leavesOfAll(List<String> ids, UrlPath target) {
        return bulkGet(target.query("revs", "true"), ids, (answer, result) -> leaves(result.path("docs")));
    }

    private <T> List<T> bulkGet(UrlPath target, List<String> ids, BiFunction<Answer, JsonNode, T> reading) {
        if (ids.isEmpty()) {
            return List.of();
        }
        ObjectNode question = Json.object();
        ArrayNode wanted = question.putArray("docs");
        ids.forEach(id -> wanted.addObject().put("id", id));
        return http.exchange(Call.ask(target, question), answer -> {
            List<T> found = new ArrayList<>();
            for (JsonNode result : answer.object().path("results")) {
                if (found.size() == ids.size() || !result.path("id").asText().equals(ids.get(found.size()))) {
                    throw answer.unusable("it is about other documents than the ones asked for");
                }
                found.add(reading.apply(answer, result));
            }
            if (found.size() < ids.size()) {
                throw answer.unusable("it is about fewer documents than were asked for");
            }
            return List.copyOf(found);
        });
    }

    /**
     * {@return the names of a document's attachments; none when the document is missing or deleted} The document that {@link
     * #get(String)} returns has their lengths and types in {@code _attachments}.
     *
     * @param id the document's id
     */
    public List<String> attachmentNames(String id) {
        List<String> names = new ArrayList<>();
        get(id).ifPresent(document -> document.path("_attachments").fieldNames().forEachRemaining(names::add));
        return List.copyOf(names);
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
     * {@return an attachment of one revision of a document; empty when it does not exist or the revision was compacted away}
     *
     * @param id the document's id
     * @param rev the revision; an empty string for the winning revision
     * @param name the attachment's name
     */
    public Optional<byte[]> attachment(String id, String rev, String name) {
        UrlPath attachment = path.document(id).segment(name);
        return http.exchange(Call.get(rev.isEmpty() ? attachment : attachment.query("rev", rev)), answer -> {
            if (answer.status() != 404) {
                return Optional.of(answer.bytes());
            }
            requireNoSuchAttachment(answer);
            return Optional.empty();
        });
    }

    /**
     * Reads the attachments of a given name from many documents in one request ({@code _bulk_get}). The server also sends all
     * other attachments of these documents.
     *
     * @param docs documents whose {@code _id} and {@code _rev} name the revisions
     * @param name the attachments' name
     * @return one entry per document, in their order; empty when the attachment could not be read
     */
    public List<Optional<byte[]>> attachments(List<ObjectNode> docs, String name) {
        if (docs.isEmpty()) {
            return List.of();
        }
        ObjectNode question = Json.object();
        ArrayNode wanted = question.putArray("docs");
        docs.forEach(doc -> wanted.addObject().put("id", idOf(doc)).put("rev", Json.text(doc, "_rev")));
        UrlPath attached = path.segment("_bulk_get").query("attachments", "true");
        return http.exchange(Call.ask(attached, question), answer -> {
            JsonNode results = answer.object().path("results");
            List<Optional<byte[]>> attachments = new ArrayList<>();
            for (int i = 0; i < docs.size(); i++) {
                JsonNode found = results.path(i).path("docs").path(0).path("ok");
                boolean isIt = idOf(docs.get(i)).equals(Json.text(found, "_id"))
                        && Json.text(docs.get(i), "_rev").equals(Json.text(found, "_rev"));
                JsonNode data = found.path("_attachments").path(name).path("data");
                attachments.add(isIt && data.isTextual() ? Optional.of(data.binaryValue()) : Optional.empty());
            }
            return List.copyOf(attachments);
        });
    }

    /** Returns the leaves found of one document; empty when the document could not be read. */
    private static Optional<List<ObjectNode>> leaves(JsonNode found) {
        List<ObjectNode> leaves = new ArrayList<>();
        for (JsonNode leaf : found) {
            if (leaf.path("ok") instanceof ObjectNode document) {
                leaves.add(document);
            } else if (!leaf.isEmpty()
                    && !leaf.path("error").path("error").asText().equals("not_found")) {
                return Optional.empty(); // PouchDB Server sends an empty entry for a missing document
            }
        }
        return Optional.of(onePerRevision(leaves));
    }

    /**
     * {@return the ancestors of a revision, newest first, starting with the revision itself; empty when there is no such
     * revision}
     *
     * @param id the document's id
     * @param rev the revision, which may be a tombstone
     */
    public List<String> history(String id, String rev) {
        JsonNode revisions = get(id, path.document(id).query("rev", rev).query("revs", "true"))
                .map(document -> document.path("_revisions"))
                .orElseGet(Json::object);
        List<String> history = new ArrayList<>();
        int generation = revisions.path("start").asInt();
        for (JsonNode hash : revisions.path("ids")) {
            history.add(generation-- + "-" + hash.asText());
        }
        return List.copyOf(history);
    }

    /**
     * Reads many documents in one request.
     *
     * @param ids the documents' ids
     * @return one entry per id, in their order; empty for a missing or deleted document
     */
    public List<Optional<ObjectNode>> getAll(List<String> ids) {
        // _all_docs would ask all copies for each document separately, which costs many times as much.
        return bulkGet(path.segment("_bulk_get"), ids, (answer, result) -> leaves(result.path("docs"))
                .map(ReadableDatabase::winner)
                .orElseThrow(() -> answer.unusable(
                        "of " + result.path("id").asText() + " it says " + trouble(result.path("docs")))));
    }

    /** Returns the errors only: other leaves contain data that must not go into a message. */
    private static String trouble(JsonNode found) {
        return found.valueStream()
                .flatMap(leaf -> leaf.optional("error").stream())
                .toList()
                .toString();
    }

    /** Returns the winning leaf; empty when all leaves are deleted. */
    private static Optional<ObjectNode> winner(List<ObjectNode> leaves) {
        return leaves.stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .max(Comparator.comparing(leaf -> Json.text(leaf, "_rev"), BY_GENERATION));
    }

    private Optional<ObjectNode> get(String id, UrlPath target) {
        return http.exchange(Call.get(target), answer -> found(answer, id));
    }

    static Optional<ObjectNode> found(Answer answer, String id) throws IOException {
        if (answer.status() == 404) {
            requireNoSuchDocument(answer);
            return Optional.empty();
        }
        return Optional.of(requireId(answer, answer.object(), id));
    }

    /** Detects a connection that is out of step, on which the answer belongs to another request. */
    private static ObjectNode requireId(Answer answer, ObjectNode document, String id) {
        if (!document.path("_id").asText().equals(id)) {
            throw answer.unusable("it is not the document that was asked for");
        }
        return document;
    }

    private static void requireNoSuchDocument(Answer answer) throws IOException {
        CouchException.Failure failure = answer.failure();
        if (!NO_SUCH_DOCUMENT.contains(failure.reason())) {
            throw CouchException.of(failure);
        }
    }

    /** CouchDB and PouchDB Server report a missing attachment with different reasons. */
    private static void requireNoSuchAttachment(Answer answer) throws IOException {
        CouchException.Failure failure = answer.failure();
        if (!NO_SUCH_DOCUMENT.contains(failure.reason()) && !failure.reason().contains("attachment")) {
            throw CouchException.of(failure);
        }
    }

    static String idOf(ObjectNode doc) {
        JsonNode id = doc.path("_id");
        if (!id.isTextual() || id.textValue().isEmpty()) {
            throw new IllegalArgumentException("a document needs a text as its _id; it has " + id);
        }
        return id.textValue();
    }
}
