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

    /** Stores a document over the revision named, or over any when none is, and returns its new one. */
    public String write(String id, @Nullable String rev, ObjectNode body) {
        return commits.durably(() -> {
            synchronized (this) {
                int generation = checked(id, rev);
                String next = "0-" + (generation + 1);
                ObjectNode doc = Json.object().put("_id", id).put("_rev", next);
                doc.setAll(body);
                map.put(id, Json.bytes(doc));
                return next;
            }
        });
    }

    public void delete(String id, @Nullable String rev) {
        commits.durably(() -> {
            synchronized (this) {
                if (!map.containsKey(id)) {
                    throw CouchError.missing();
                }
                checked(id, rev);
                return map.remove(id);
            }
        });
    }

    private int checked(String id, @Nullable String rev) {
        String now = read(id).map(doc -> doc.path("_rev").asText()).orElse(null);
        if (now == null) {
            return 0;
        }
        if (rev != null && !now.equals(rev)) {
            throw CouchError.conflict();
        }
        return rev == null ? 0 : Integer.parseInt(now.substring(2));
    }
}
