package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.util.Iterator;
import java.util.Optional;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;

/** The {@code _local/} documents: never replicated, one revision only, not in the order of changes. Thread-safe. */
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
     * Stores a document over whatever is there, and returns its new revision: one more than the one named, which is not
     * compared with anything, as in CouchDB. Attachments are dropped without a word.
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

    /** Deletes a document, whatever its revision. */
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
