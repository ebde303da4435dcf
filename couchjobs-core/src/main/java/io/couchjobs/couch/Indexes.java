package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.UrlPath;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Which indexes of one database are being built, and how far they are. */
final class Indexes {
    private static final int GATEWAY_TIMEOUT = 504;

    private final Http http;
    private final String database;
    private final Administration administration;
    /** The server's names for the database's parts. */
    private final Pattern shard;

    Indexes(Http http, String database, Administration administration) {
        this.http = http;
        this.database = database;
        this.administration = administration;
        this.shard = Pattern.compile("(shards/[^/]+/)?" + Pattern.quote(database) + "(\\.\\d+)?");
    }

    /** Empty when the index is up to date, or nothing says that it is not. */
    Optional<IndexProgress> progress(String designDoc) {
        return administration.viewInfo(designDoc).updating()
                ? Optional.of(new IndexProgress(UrlPath.designName(designDoc), database, percent(designDoc)))
                : Optional.empty();
    }

    /** Distinguishes a query that timed out because of the index from others. */
    <T> T explain(Optional<String> designDoc, Supplier<T> question) {
        try {
            return question.get();
        } catch (CouchException failed) {
            Optional<IndexProgress> building =
                    isTooSlow(failed) ? designDoc.flatMap(this::progressUnlessItFails) : Optional.empty();
            if (building.isPresent()) {
                throw new IndexBeingBuiltException(building.get(), failed);
            }
            throw failed;
        }
    }

    private Optional<IndexProgress> progressUnlessItFails(String designDoc) {
        try {
            return progress(designDoc);
        } catch (CouchException unknown) {
            return Optional.empty();
        }
    }

    /** CouchDB, a proxy or this client gave up waiting. */
    private static boolean isTooSlow(CouchException failed) {
        return (failed.status() == 500 && failed.error().equals("timeout"))
                || failed.status() == GATEWAY_TIMEOUT
                || failed.getCause() instanceof SocketTimeoutException;
    }

    /** Each part of the database has a task of its own; finished tasks are gone. */
    private int percent(String designDoc) {
        long done = 0;
        long total = 0;
        for (JsonNode task : tasks()) {
            boolean isIts = task.path("type").asText().equals("indexer")
                    && task.path("design_document").asText().equals("_design/" + UrlPath.designName(designDoc))
                    && shard.matcher(task.path("database").asText()).matches();
            if (isIts) {
                done += task.path("changes_done").asLong();
                total += task.path("total_changes").asLong();
            }
        }
        return total == 0 ? -1 : (int) Math.min(100, 100 * done / total);
    }

    private Iterable<JsonNode> tasks() {
        try {
            return http.exchange(Call.get(UrlPath.ROOT.segment("_active_tasks")), Answer::array);
        } catch (CouchException notAllowed) {
            return List.of();
        }
    }
}
