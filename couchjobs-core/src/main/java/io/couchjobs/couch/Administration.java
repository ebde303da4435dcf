package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.UrlPath;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Creates, measures, cleans and deletes one database. */
final class Administration {

    private static final int NOT_FOUND = 404;
    private static final int EXISTS = 412;
    private static final long MOST_SECONDS = 99_999_999_999L;
    private static final byte[] NOTHING = Json.bytes(Json.object());

    private final Http http;
    private final UrlPath database;

    Administration(Http http, UrlPath database) {
        this.http = http;
        this.database = database;
    }

    boolean exists() {
        return http.exchange(Call.head(database), answer -> {
            if (answer.status() != NOT_FOUND) {
                answer.requireSuccess();
            }
            return answer.isSuccess();
        });
    }

    /**
     * One request that creates or not: looking first would be a race. It is sent again when its answer was lost: a
     * database that the lost request created serves as well.
     */
    boolean createIfMissing() {
        try {
            return http.exchange(Call.repeatable("PUT", database), answer -> {
                if (answer.status() == EXISTS) {
                    answer.drain();
                    return false;
                }
                answer.object();
                return true;
            });
        } catch (CouchException refused) {
            // The server refuses a user without the right to create databases, even when the database exists.
            if (isNotAllowed(refused) && exists()) {
                return false;
            }
            throw refused;
        }
    }

    private static boolean isNotAllowed(CouchException refused) {
        return refused.status() == 401 || refused.status() == 403;
    }

    ObjectNode security() {
        return http.exchange(Call.get(database.segment("_security")), Answer::object);
    }

    /** Idempotent, so it may be sent again. */
    void putSecurity(ObjectNode security) {
        UrlPath path = database.segment("_security");
        http.exchange(Call.repeatable("PUT", path, Json.bytes(security)), Answer::object);
    }

    int revisionLimit() {
        return http.exchange(Call.get(database.segment("_revs_limit")), Answer::json)
                .asInt();
    }

    void putRevisionLimit(int revisions) {
        UrlPath path = database.segment("_revs_limit");
        http.exchange(Call.repeatable("PUT", path, Json.bytes(IntNode.valueOf(revisions))), Answer::object);
    }

    void delete() {
        http.exchange(Call.write("DELETE", database), Answer::object);
    }

    DatabaseInfo info() {
        ObjectNode info = http.exchange(Call.get(database), Answer::object);
        JsonNode sizes = info.path("sizes");
        return new DatabaseInfo(
                Json.text(info, "db_name"),
                created(info),
                info.path("doc_count").asLong(),
                info.path("doc_del_count").asLong(),
                Json.text(info, "update_seq"),
                sizes.path("file").asLong(-1),
                sizes.path("active").asLong(-1),
                Json.text(info, "purge_seq"),
                info.path("cluster").path("n").asInt(1),
                Math.max(1, info.path("cluster").path("q").asInt(1)));
    }

    /** PouchDB Server says here since when it runs, in milliseconds. */
    private static long created(ObjectNode info) {
        long seconds = info.path("instance_start_time").asLong();
        return seconds > MOST_SECONDS ? 0 : seconds;
    }

    Map<String, List<String>> shards() {
        Map<String, List<String>> nodes = new TreeMap<>();
        http.exchange(Call.get(database.segment("_shards")), Answer::object)
                .path("shards")
                .properties()
                .forEach(range -> nodes.put(range.getKey(), Json.texts(range.getValue())));
        return nodes;
    }

    boolean isCompacting() {
        return http.exchange(Call.get(database), Answer::object)
                .path("compact_running")
                .asBoolean();
    }

    ViewInfo viewInfo(String designDoc) {
        Call call = Call.get(database.designDoc(designDoc).segment("_info"));
        JsonNode index = http.exchange(call, Answer::object).path("view_index");
        JsonNode sizes = index.path("sizes");
        return new ViewInfo(
                sizes.path("file").asLong(-1),
                sizes.path("active").asLong(-1),
                index.path("compact_running").asBoolean(),
                index.path("updater_running").asBoolean());
    }

    PurgeResult purge(Map<String, List<String>> idRevs) {
        Call call = Call.write("POST", database.segment("_purge"), Json.bytes(Json.value(idRevs)));
        return http.exchange(call, answer -> {
            ObjectNode purged = answer.object();
            Map<String, List<String>> revs = new TreeMap<>();
            purged.path("purged")
                    .properties()
                    .forEach(leaves -> revs.put(leaves.getKey(), Json.texts(leaves.getValue())));
            return new PurgeResult(revs, answer.status() != 202);
        });
    }

    void compact() {
        start(database.segment("_compact"));
    }

    void compactViews(String designDoc) {
        start(database.segment("_compact").segment(UrlPath.designName(designDoc)));
    }

    void cleanUpViews() {
        start(database.segment("_view_cleanup"));
    }

    private void start(UrlPath work) {
        http.exchange(Call.write("POST", work, NOTHING), Answer::object);
    }
}
