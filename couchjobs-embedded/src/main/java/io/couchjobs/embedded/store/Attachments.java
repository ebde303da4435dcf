package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;

/**
 * Attachments: their bytes by digest, and in the stored body of a document one entry each with {@code content_type},
 * {@code revpos}, {@code digest} and {@code length}.
 */
public final class Attachments {
    private static final String MEMBER = "_attachments";

    private final MVMap<String, byte[]> map;

    Attachments(MVMap<String, byte[]> map) {
        this.map = map;
    }

    /** Stores what came inline and replaces it by its entry; a stub takes over the entry of the revision before. */
    void intake(String id, ObjectNode body, @Nullable ObjectNode before, int revpos) {
        if (!(body.get(MEMBER) instanceof ObjectNode given)) {
            body.remove(MEMBER);
            return;
        }
        if (given.isEmpty()) {
            body.remove(MEMBER);
            return;
        }
        ObjectNode entries = Json.object();
        for (Map.Entry<String, JsonNode> one : given.properties()) {
            entries.set(one.getKey(), entry(id, one.getKey(), one.getValue(), before, revpos));
        }
        body.set(MEMBER, entries);
    }

    private JsonNode entry(String id, String name, JsonNode given, @Nullable ObjectNode before, int revpos) {
        if (given.has("data")) {
            return add(given.path("content_type").asText("application/octet-stream"), decode(given), given, revpos);
        }
        JsonNode kept = before == null ? null : before.path(MEMBER).get(name);
        if (kept != null) {
            return kept;
        }
        if (map.containsKey(given.path("digest").asText())) {
            return stored(given);
        }
        throw new CouchError(412, "missing_stub", "Invalid attachment stub in " + id + " for " + name);
    }

    private static JsonNode stored(JsonNode given) {
        ObjectNode entry = given.deepCopy();
        entry.remove("stub");
        return entry;
    }

    private JsonNode add(String contentType, byte[] data, JsonNode given, int revpos) {
        String digest = Hashes.digest(data);
        map.put(digest, data);
        return Json.object()
                .put("content_type", contentType)
                .put("revpos", given.path("revpos").asInt(revpos))
                .put("digest", digest)
                .put("length", data.length);
    }

    private static byte[] decode(JsonNode given) {
        try {
            return Base64.getDecoder().decode(given.path("data").asText());
        } catch (IllegalArgumentException e) {
            throw CouchError.badRequest("Attachment data is not valid base64");
        }
    }

    /** Turns the stored entries of a document into stubs, or into whole attachments. */
    public void present(ObjectNode doc, boolean whole) {
        for (JsonNode entry : doc.path(MEMBER)) {
            byte[] data = whole ? map.get(entry.path("digest").asText()) : null;
            if (data == null) {
                ((ObjectNode) entry).put("stub", true);
            } else {
                ((ObjectNode) entry).remove("length");
                ((ObjectNode) entry).put("data", Base64.getEncoder().encodeToString(data));
            }
        }
    }

    public Optional<byte[]> read(JsonNode entry) {
        return Optional.ofNullable(map.get(entry.path("digest").asText()));
    }

    /** {@return what a client would send to attach these bytes} */
    public static ObjectNode inline(String contentType, byte[] data) {
        return Json.object()
                .put("content_type", contentType)
                .put("data", Base64.getEncoder().encodeToString(data));
    }
}
