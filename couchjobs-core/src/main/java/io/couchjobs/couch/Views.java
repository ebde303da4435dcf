package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.UrlPath;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Asks the views of one database, and says how far their indexes are. */
final class Views {

    private static final int GATEWAY_TIMEOUT = 504;

    private final Http http;
    private final String name;
    private final UrlPath database;
    /** The server's names for the database's parts. */
    private final Pattern shard;

    Views(Http http, String name) {
        this.http = http;
        this.name = name;
        this.database = UrlPath.ROOT.segment(name);
        this.shard = Pattern.compile("(shards/[^/]+/)?" + Pattern.quote(name) + "(\\.\\d+)?");
    }

    ViewResult ask(ViewQuery query) {
        Call call = Call.ask(path(query), query.toJson());
        return explain(query.designDoc(), () -> http.exchange(call, ViewParser::one));
    }

    List<ViewResult> ask(List<ViewQuery> queries) {
        UrlPath path = pathOfAll(queries).segment("queries");
        ObjectNode question = Json.object();
        ArrayNode each = question.putArray("queries");
        queries.forEach(query -> each.add(query.toJson()));
        Call call = Call.ask(path, question);
        return explain(
                queries.get(0).designDoc(),
                () -> http.exchange(call, answer -> {
                    List<ViewResult> results = ViewParser.several(answer);
                    if (results.size() != queries.size()) {
                        throw answer.unusable(
                                "it has " + results.size() + " results for " + queries.size() + " queries");
                    }
                    return results;
                }));
    }

    private UrlPath pathOfAll(List<ViewQuery> queries) {
        List<String> paths =
                queries.stream().map(query -> path(query).toString()).distinct().toList();
        if (paths.size() != 1) {
            throw new IllegalArgumentException("several queries must be of one view; these are of " + paths);
        }
        return path(queries.get(0));
    }

    private UrlPath path(ViewQuery query) {
        return query.designDoc()
                .map(design -> database.designDoc(design).segment("_view"))
                .orElse(database)
                .segment(query.view());
    }

    CouchDatabase.ViewInfo info(String designDoc) {
        JsonNode index = index(designDoc);
        JsonNode sizes = index.path("sizes");
        return new CouchDatabase.ViewInfo(
                sizes.path("file").asLong(-1),
                sizes.path("active").asLong(-1),
                index.path("compact_running").asBoolean(),
                index.path("updater_running").asBoolean());
    }

    long changesToIndex(String designDoc) {
        return index(designDoc).path("updates_pending").path("preferred").asLong();
    }

    private JsonNode index(String designDoc) {
        Call call = Call.get(database.designDoc(designDoc).segment("_info"));
        return http.exchange(call, Answer::object).path("view_index");
    }

    /** Empty when the index is up to date, or nothing says that it is not. */
    Optional<IndexBeingBuiltException.Progress> progress(String designDoc) {
        return info(designDoc).updating()
                ? Optional.of(
                        new IndexBeingBuiltException.Progress(UrlPath.designName(designDoc), name, percent(designDoc)))
                : Optional.empty();
    }

    /** Distinguishes a query that timed out because of the index from others. */
    private <T> T explain(Optional<String> designDoc, Supplier<T> question) {
        try {
            return question.get();
        } catch (CouchException failed) {
            Optional<IndexBeingBuiltException.Progress> building =
                    isTooSlow(failed) ? designDoc.flatMap(this::progressUnlessItFails) : Optional.empty();
            if (building.isPresent()) {
                throw new IndexBeingBuiltException(building.get(), failed);
            }
            throw failed;
        }
    }

    private Optional<IndexBeingBuiltException.Progress> progressUnlessItFails(String designDoc) {
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
