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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/** Reads and writes the documents of one database. */
final class Documents {

    /** The longer number is the greater one; of the same generation the greater hash wins. */
    private static final Comparator<String> BY_GENERATION =
            Comparator.<String>comparingInt(rev -> rev.indexOf('-')).thenComparing(Comparator.naturalOrder());

    /** CouchDB's reasons for a document that is not there; any other 404 is about the database. */
    private static final Set<String> NO_SUCH_DOCUMENT = Set.of("missing", "deleted");

    private final Http http;
    private final UrlPath database;

    Documents(Http http, UrlPath database) {
        this.http = http;
        this.database = database;
    }

    Optional<ObjectNode> get(String id) {
        return get(id, database.document(id));
    }

    Optional<ObjectNode> get(String id, String rev) {
        return get(id, database.document(id).query("rev", rev));
    }

    Optional<ObjectNode> getWithConflicts(String id) {
        return get(id, database.document(id).query("conflicts", "true"));
    }

    List<ObjectNode> leaves(String id) {
        return leaves(id, database.document(id).query("open_revs", "all"));
    }

    List<ObjectNode> leavesWithHistories(String id) {
        return leaves(id, database.document(id).query("open_revs", "all").query("revs", "true"));
    }

    private List<ObjectNode> leaves(String id, UrlPath path) {
        return http.exchange(Call.get(path), answer -> {
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
     * A cluster shows a leaf twice when one of its copies knows only the end of the leaf's history. The leaf with the longer
     * history counts.
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

    /** CouchDB reports for each document separately that it could not be read. */
    List<Optional<List<ObjectNode>>> leavesOfAll(List<String> ids) {
        UrlPath path = database.segment("_bulk_get").query("revs", "true");
        return bulkGet(path, ids, (answer, result) -> leaves(result.path("docs")));
    }

    private <T> List<T> bulkGet(UrlPath path, List<String> ids, BiFunction<Answer, JsonNode, T> reading) {
        if (ids.isEmpty()) {
            return List.of();
        }
        ObjectNode question = Json.object();
        ArrayNode wanted = question.putArray("docs");
        ids.forEach(id -> wanted.addObject().put("id", id));
        return http.exchange(Call.ask(path, question), answer -> {
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

    List<String> attachmentNames(String id) {
        List<String> names = new ArrayList<>();
        get(id).ifPresent(document -> document.path("_attachments").fieldNames().forEachRemaining(names::add));
        return List.copyOf(names);
    }

    Optional<byte[]> attachment(String id, String rev, String name) {
        UrlPath path = database.document(id).segment(name);
        return http.exchange(Call.get(rev.isEmpty() ? path : path.query("rev", rev)), answer -> {
            if (answer.status() != 404) {
                return Optional.of(answer.bytes());
            }
            requireNoSuchAttachment(answer);
            return Optional.empty();
        });
    }

    List<Optional<byte[]>> attachments(List<ObjectNode> docs, String name) {
        if (docs.isEmpty()) {
            return List.of();
        }
        ObjectNode question = Json.object();
        ArrayNode wanted = question.putArray("docs");
        docs.forEach(doc -> wanted.addObject().put("id", idOf(doc)).put("rev", Json.text(doc, "_rev")));
        UrlPath path = database.segment("_bulk_get").query("attachments", "true");
        return http.exchange(Call.ask(path, question), answer -> {
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

    /** The leaves found of one document; empty when it could not be read. */
    private static Optional<List<ObjectNode>> leaves(JsonNode found) {
        List<ObjectNode> leaves = new ArrayList<>();
        for (JsonNode leaf : found) {
            if (leaf.path("ok") instanceof ObjectNode document) {
                leaves.add(document);
            } else if (!leaf.isEmpty()
                    && !leaf.path("error").path("error").asText().equals("not_found")) {
                return Optional.empty(); // PouchDB Server says nothing at all of one that is missing
            }
        }
        return Optional.of(onePerRevision(leaves));
    }

    List<String> history(String id, String rev) {
        JsonNode revisions = get(id, database.document(id).query("rev", rev).query("revs", "true"))
                .map(document -> document.path("_revisions"))
                .orElseGet(Json::object);
        List<String> history = new ArrayList<>();
        int generation = revisions.path("start").asInt();
        for (JsonNode hash : revisions.path("ids")) {
            history.add(generation-- + "-" + hash.asText());
        }
        return List.copyOf(history);
    }

    /** Not by {@code _all_docs}: it asks all copies for each document by itself, which costs many times as much. */
    List<Optional<ObjectNode>> getAll(List<String> ids) {
        return bulkGet(database.segment("_bulk_get"), ids, (answer, result) -> leaves(result.path("docs"))
                .map(Documents::winner)
                .orElseThrow(() -> answer.unusable(
                        "of " + result.path("id").asText() + " it says " + trouble(result.path("docs")))));
    }

    /** Only the errors: the other leaves have data in them. */
    private static String trouble(JsonNode found) {
        List<JsonNode> errors = new ArrayList<>();
        found.forEach(leaf -> errors.add(leaf.path("error")));
        errors.removeIf(JsonNode::isMissingNode);
        return errors.toString();
    }

    /** The leaf that is read by its id alone, unless all are deleted. */
    private static Optional<ObjectNode> winner(List<ObjectNode> leaves) {
        return leaves.stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .max(Comparator.comparing(leaf -> Json.text(leaf, "_rev"), BY_GENERATION));
    }

    List<WriteResult> bulk(List<ObjectNode> docs) {
        docs.forEach(Documents::idOf);
        if (docs.isEmpty()) {
            return List.of();
        }
        Call call = Call.write("POST", database.segment("_bulk_docs"), bulkBody(docs, true));
        return http.exchange(
                call,
                answer -> WriteResults.ofBulk(
                        answer, docs.stream().map(Documents::idOf).toList()));
    }

    void bulkRevisions(List<ObjectNode> docs) {
        docs.forEach(Documents::idOf);
        if (!docs.isEmpty()) {
            http.exchange(Call.write("POST", database.segment("_bulk_docs"), bulkBody(docs, false)), Answer::array);
        }
    }

    WriteResult put(ObjectNode doc) {
        String id = idOf(doc);
        return http.exchange(putting(doc, id), answer -> WriteResults.ofPut(answer, id));
    }

    WriteResult put(ObjectNode doc, Duration patience) {
        String id = idOf(doc);
        return http.renew(putting(doc, id), patience, answer -> WriteResults.ofPut(answer, id));
    }

    private Call putting(ObjectNode doc, String id) {
        return Call.write("PUT", database.document(id), Json.bytes(doc));
    }

    private Optional<ObjectNode> get(String id, UrlPath path) {
        return http.exchange(Call.get(path), answer -> {
            if (answer.status() == 404) {
                requireNoSuchDocument(answer);
                return Optional.empty();
            }
            return Optional.of(requireId(answer, answer.object(), id));
        });
    }

    /** On a connection that got out of step an answer would be that to another request. */
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

    /** CouchDB words the lack of an attachment differently, and PouchDB Server differently again. */
    private static void requireNoSuchAttachment(Answer answer) throws IOException {
        CouchException.Failure failure = answer.failure();
        if (!NO_SUCH_DOCUMENT.contains(failure.reason()) && !failure.reason().contains("attachment")) {
            throw CouchException.of(failure);
        }
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

    private static String idOf(ObjectNode doc) {
        JsonNode id = doc.path("_id");
        if (!id.isTextual() || id.textValue().isEmpty()) {
            throw new IllegalArgumentException("a document needs a text as its _id; it has " + id);
        }
        return id.textValue();
    }
}
