package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;

/**
 * The attachments of a database: their bytes by digest. The stored body of a document has an entry for each attachment, with
 * {@code content_type}, {@code revpos}, {@code digest} and {@code length}.
 */
public final class Attachments {
    /** The field of a document that lists its attachments. */
    public static final String MEMBER = "_attachments";

    private static final Pattern WHITE_SPACE = Pattern.compile("[ \\t\\r\\n]+");

    private final MVMap<String, byte[]> map;

    Attachments(MVMap<String, byte[]> map) {
        this.map = map;
    }

    public static boolean isStub(JsonNode given) {
        return given.path("stub").asBoolean();
    }

    /** {@return whether an attachment contains its bytes, in base64} */
    public static boolean hasData(JsonNode given) {
        try {
            byte[] unused = decode(given);
            return given.path("data").isTextual();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Stores inline attachments and replaces them by their entries. A stub is replaced by the entry of the previous revision.
     *
     * @param revpos the generation of inline attachments; 0 for a replicated edit, which contains it
     */
    void intake(String id, ObjectNode body, @Nullable ObjectNode before, int revpos) {
        if (!(body.get(MEMBER) instanceof ObjectNode given) || given.isEmpty()) {
            body.remove(MEMBER);
            return;
        }
        requireStubs(id, body, before);
        ObjectNode entries = Json.object();
        for (Map.Entry<String, JsonNode> one : given.properties()) {
            entries.set(one.getKey(), entry(one.getKey(), one.getValue(), before, revpos));
        }
        body.set(MEMBER, entries);
    }

    /** Throws an error when a stub names an attachment that the previous revision does not have. */
    static void requireStubs(String id, ObjectNode body, @Nullable ObjectNode before) {
        for (Map.Entry<String, JsonNode> one : body.path(MEMBER).properties()) {
            JsonNode kept = before == null
                    ? MissingNode.getInstance()
                    : before.path(MEMBER).path(one.getKey());
            if (isStub(one.getValue()) && (kept.isMissingNode() || !isOf(one.getValue(), kept))) {
                throw new CouchError(412, "missing_stub", "Invalid attachment stub in " + id + " for " + one.getKey());
            }
        }
    }

    private static boolean isOf(JsonNode stub, JsonNode kept) {
        return !stub.has("revpos")
                || stub.path("revpos").asInt() == kept.path("revpos").asInt();
    }

    /** Returns the entry of an attachment. In a cluster, another copy of the document may send an entry as it is stored. */
    private JsonNode entry(String name, JsonNode given, @Nullable ObjectNode before, int revpos) {
        if (given.has("data")) {
            return add(given.path("content_type").asText("application/octet-stream"), decode(given), given, revpos);
        }
        return before != null && isStub(given) ? before.path(MEMBER).path(name) : given;
    }

    private JsonNode add(String contentType, byte[] data, JsonNode given, int revpos) {
        String digest = Hashes.digest(data);
        map.put(digest, data);
        return Json.object()
                .put("content_type", contentType)
                .put("revpos", revpos > 0 ? revpos : given.path("revpos").asInt())
                .put("digest", digest)
                .put("length", data.length);
    }

    /** Decodes base64. Like CouchDB's decoder, skips white space and requires the padding. */
    private static byte[] decode(JsonNode given) {
        String data = WHITE_SPACE.matcher(given.path("data").asText()).replaceAll("");
        if (data.length() % 4 != 0) {
            throw new IllegalArgumentException("base64 without its padding");
        }
        return Base64.getDecoder().decode(data);
    }

    /** Replaces the stored entries of a document by stubs, or by whole attachments. */
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

    /** {@return the JSON with which a client attaches these bytes} */
    public static ObjectNode inline(String contentType, byte[] data) {
        return Json.object()
                .put("content_type", contentType)
                .put("data", Base64.getEncoder().encodeToString(data));
    }
}
