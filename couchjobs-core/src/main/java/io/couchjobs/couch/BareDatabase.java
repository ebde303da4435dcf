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
 * The operations on a database as a whole: its existence, access rights, statistics and maintenance. Thread-safe. These
 * methods are part of the public class {@link CouchDatabase}.
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

    /** {@return whether the database exists} */
    public boolean exists() {
        return http.exchange(Call.head(path), answer -> {
            if (answer.status() != NOT_FOUND) {
                answer.requireSuccess();
            }
            return answer.isSuccess();
        });
    }

    /**
     * Creates the database unless it exists.
     *
     * @return true if this call created the database; false if it existed, or if an earlier attempt of this call created it
     *     and the answer was lost
     */
    public boolean createIfMissing() {
        try {
            return http.exchange(Call.repeatable("PUT", path), BareDatabase::wasCreated);
        } catch (CouchException refused) {
            // The server refuses users who may not create databases, even when the database exists.
            if ((refused.status() == 401 || refused.status() == 403) && exists()) {
                return false;
            }
            throw refused;
        }
    }

    /**
     * Evaluates the answer of the only request: checking first whether the database exists would be a race. The request is
     * repeated when its answer is lost. If the first request did create the database, the repeated one finds it.
     */
    private static boolean wasCreated(Answer answer) throws IOException {
        if (answer.status() == EXISTS) {
            answer.drain();
            return false;
        }
        answer.object();
        return true;
    }

    /** {@return the administrators and members of the database, as in CouchDB's {@code _security}} */
    public ObjectNode security() {
        return http.exchange(Call.get(path.segment("_security")), Answer::object);
    }

    /**
     * Replaces the object that {@code security()} returns. The later of two concurrent writes wins. Only administrators of
     * the database may call this.
     *
     * @param security the whole object
     */
    public void putSecurity(ObjectNode security) {
        UrlPath target = path.segment("_security"); // idempotent, so it may be sent again
        http.exchange(Call.repeatable("PUT", target, Json.bytes(security)), Answer::object);
    }

    /** {@return how many revision ids of each document the server keeps ({@code _revs_limit})} */
    public int revisionLimit() {
        return http.exchange(Call.get(path.segment("_revs_limit")), Answer::json)
                .asInt();
    }

    /**
     * Changes the number that {@code revisionLimit()} returns. The server drops surplus revision ids of a document at its
     * next write.
     *
     * @param revisions at least 1
     */
    public void putRevisionLimit(int revisions) {
        UrlPath target = path.segment("_revs_limit");
        http.exchange(Call.repeatable("PUT", target, Json.bytes(IntNode.valueOf(revisions))), Answer::object);
    }

    /**
     * Deletes the database and all its documents.
     *
     * @throws CouchNotFoundException if the database does not exist
     */
    public void delete() {
        http.exchange(Call.write("DELETE", path), Answer::object);
    }

    /** {@return the statistics of the database} */
    public DatabaseInfo info() {
        return http.exchange(Call.get(path), answer -> DatabaseInfo.of(answer.object()));
    }

    /**
     * {@return by shard range, the nodes that keep a copy of the shard, whether they are reachable or not}
     *
     * @throws CouchException if the server does not say
     */
    public Map<String, List<String>> shards() {
        Map<String, List<String>> nodes = new TreeMap<>();
        http.exchange(Call.get(path.segment("_shards")), Answer::object)
                .path("shards")
                .properties()
                .forEach(range -> nodes.put(range.getKey(), Json.texts(range.getValue())));
        return nodes;
    }

    /** Starts a compaction of the database; does not wait until it ends. */
    public void compact() {
        start(path.segment("_compact"));
    }

    /**
     * Starts a compaction of the indexes of a design document; does not wait until it ends.
     *
     * @param designDoc the design document's name, with or without {@code _design/}
     */
    public void compactViews(String designDoc) {
        start(path.segment("_compact").segment(UrlPath.designName(designDoc)));
    }

    /** {@return whether the database is being compacted; false when the server does not say} */
    public boolean isCompacting() {
        return http.exchange(Call.get(path), Answer::object)
                .path("compact_running")
                .asBoolean();
    }

    /** Starts to delete index files that no design document uses any more. */
    public void cleanUpViews() {
        start(path.segment("_view_cleanup"));
    }

    private void start(UrlPath work) {
        http.exchange(Call.write("POST", work, Json.bytes(Json.object())), Answer::object);
    }
}
