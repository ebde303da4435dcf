package io.couchjobs.embedded.view;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The view indexes of one database. Thread-safe. */
public final class Views {
    private final Database database;
    private final Map<String, ViewGroup> bySignature = new ConcurrentHashMap<>();
    private volatile Present present = new Present(-1);

    /** The indexes of the design documents, by document id. Valid until {@link Database#designSeq} changes. */
    private record Present(long designSeq, Map<String, ViewGroup> groups) {
        Present(long designSeq) {
            this(designSeq, new ConcurrentHashMap<>());
        }
    }

    public Views(Database database) {
        this.database = database;
    }

    /** {@return the index for the current state of a design document; not refreshed} */
    public ViewGroup group(String designId) {
        long designSeq = database.designSeq();
        Present now = present;
        if (now.designSeq() != designSeq) {
            now = new Present(designSeq);
            present = now;
        }
        return now.groups().computeIfAbsent(designId, this::read);
    }

    private ViewGroup read(String designId) {
        Doc doc = database.winner(designId).orElseThrow(CouchError::missing);
        if (doc.node().deleted()) {
            throw CouchError.deleted();
        }
        DesignDoc design = DesignDoc.of(doc);
        ViewGroup known = bySignature.get(design.signature());
        return known != null ? known : opened(design);
    }

    /** A new signature means that a design document has changed, so its old index is removed. */
    private synchronized ViewGroup opened(DesignDoc design) {
        ViewGroup group = bySignature.computeIfAbsent(design.signature(), signature -> new ViewGroup(database, design));
        cleanUp();
        return group;
    }

    /** Removes the indexes that no design document uses any more. */
    public synchronized void cleanUp() {
        Set<String> used = signatures();
        bySignature.keySet().retainAll(used);
        database.indexes().retain(map -> used.contains(map.substring(0, map.indexOf('.'))));
        present = new Present(-1);
    }

    private Set<String> signatures() {
        return database.designs().map(doc -> DesignDoc.of(doc).signature()).collect(Collectors.toSet());
    }
}
