package io.couchjobs.couch;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.UrlPath;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A database as a whole, whatever documents are in it: whether it exists, who may use it, its numbers and its upkeep. Thread-safe.
 * Users see these methods as those of {@link CouchDatabase}.
 */
abstract class BareDatabase {
    private static final int NOT_FOUND = 404;
    private static final int EXISTS = 412;

    final Http http;
    final UrlPath path;
    private final String name;

    BareDatabase(Http http, String name) {
        this.http = http;
        this.path = UrlPath.ROOT.segment(name);
        this.name = name;
    }

    /** {@return the database's name} */
    public String name() {
        return name;
    }

    /** {@return whether there is such a database} */
    public boolean exists() {
        return http.exchange(Call.head(path), answer -> {
            if (answer.status() != NOT_FOUND) {
                answer.requireSuccess();
            }
            return answer.isSuccess();
        });
    }

    /** {@return true when this call created the database, false when it was there (or was made by a try whose answer was lost)} */
    public boolean createIfMissing() {
        try {
            return http.exchange(Call.repeatable("PUT", path), BareDatabase::wasCreated);
        } catch (CouchException refused) {
            // The server refuses a user without the right to create databases, even when the database exists.
            if ((refused.status() == 401 || refused.status() == 403) && exists()) {
                return false;
            }
            throw refused;
        }
    }

    /**
     * One request creates or not: looking first would be a race. It is sent again when its answer was lost: a database that the
     * lost request created serves as well.
     */
    private static boolean wasCreated(Answer answer) throws IOException {
        if (answer.status() == EXISTS) {
            answer.drain();
            return false;
        }
        answer.object();
        return true;
    }

    /** {@return the administrators and members of the database, as CouchDB keeps them ({@code _security})} */
    public ObjectNode security() {
        return http.exchange(Call.get(path.segment("_security")), Answer::object);
    }

    /**
     * Replaces the object that {@code security()} returns. The later of two concurrent writes wins. Only administrators
     * of the database may do it.
     *
     * @param security the whole object
     */
    public void putSecurity(ObjectNode security) {
        UrlPath target = path.segment("_security"); // idempotent, so it may be sent again
        http.exchange(Call.repeatable("PUT", target, Json.bytes(security)), Answer::object);
    }

    /** {@return how many revisions of a document the server remembers the names of ({@code _revs_limit})} */
    public int revisionLimit() {
        return http.exchange(Call.get(path.segment("_revs_limit")), Answer::json)
                .asInt();
    }

    /**
     * Changes the number that {@code revisionLimit()} returns. Surplus revisions of a document are forgotten with its
     * next write.
     *
     * @param revisions at least 1
     */
    public void putRevisionLimit(int revisions) {
        UrlPath target = path.segment("_revs_limit");
        http.exchange(Call.repeatable("PUT", target, Json.bytes(IntNode.valueOf(revisions))), Answer::object);
    }

    /**
     * Deletes the database and all that is in it.
     *
     * @throws CouchNotFoundException there is none
     */
    public void delete() {
        http.exchange(Call.write("DELETE", path), Answer::object);
    }

    /** {@return the database in numbers} */
    public DatabaseInfo info() {
        return http.exchange(Call.get(path), answer -> DatabaseInfo.of(answer.object()));
    }

    /**
     * {@return the nodes that have a copy of each part of the database, whether they are there or not, by range of checksums}
     *
     * @throws CouchException the server does not tell
     */
    public Map<String, List<String>> shards() {
        Map<String, List<String>> nodes = new TreeMap<>();
        http.exchange(Call.get(path.segment("_shards")), Answer::object)
                .path("shards")
                .properties()
                .forEach(range -> nodes.put(range.getKey(), Json.texts(range.getValue())));
        return nodes;
    }

    /** Starts compacting the database; does not wait for the end. */
    public void compact() {
        start(path.segment("_compact"));
    }

    /**
     * Starts compacting the indexes of a design document; does not wait for the end.
     *
     * @param designDoc its name, with or without {@code _design/}
     */
    public void compactViews(String designDoc) {
        start(path.segment("_compact").segment(UrlPath.designName(designDoc)));
    }

    /** {@return whether the database is being compacted, as far as the server says} */
    public boolean isCompacting() {
        return http.exchange(Call.get(path), Answer::object)
                .path("compact_running")
                .asBoolean();
    }

    /** Starts deleting index files that no design document uses any more. */
    public void cleanUpViews() {
        start(path.segment("_view_cleanup"));
    }

    private void start(UrlPath work) {
        http.exchange(Call.write("POST", work, Json.bytes(Json.object())), Answer::object);
    }
}
