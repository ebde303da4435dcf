package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.util.Iterator;
import java.util.Optional;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;

/** The {@code _local/} documents. They are not replicated, have one revision only, and do not appear in the feed. Thread-safe. */
public final class LocalDocs {
    private final MVMap<String, byte[]> map;
    private final Commits commits;

    LocalDocs(MVMap<String, byte[]> map, Commits commits) {
        this.map = map;
        this.commits = commits;
    }

    public Optional<ObjectNode> read(String id) {
        return Optional.ofNullable(map.get(id)).map(bytes -> Json.parseObject(bytes, "stored body is not an object"));
    }

    public Iterator<String> ids() {
        return map.keyIterator(null);
    }

    /**
     * Stores a document, replacing an existing one, and returns the new revision: the given one plus 1. As in CouchDB, the given
     * revision is not compared with the stored one. Attachments are dropped silently.
     */
    public String write(String id, @Nullable String rev, ObjectNode body) {
        String next = "0-" + (generation(rev) + 1);
        return commits.durably(() -> {
            ObjectNode doc = Json.object().put("_id", id).put("_rev", next);
            doc.setAll(body);
            doc.remove(Attachments.MEMBER);
            map.put(id, Json.bytes(doc));
            return next;
        });
    }

    /** Deletes a document, regardless of its revision. */
    public void delete(String id) {
        commits.durably(() -> map.remove(id));
    }

    private static int generation(@Nullable String rev) {
        try {
            return rev == null || !rev.startsWith("0-") ? 0 : Integer.parseInt(rev.substring(2));
        } catch (NumberFormatException e) {
            throw CouchError.badRequest("Invalid rev format");
        }
    }
}
