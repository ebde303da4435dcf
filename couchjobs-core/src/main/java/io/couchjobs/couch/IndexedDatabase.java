package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
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

/**
 * The queries to views, and the progress of their indexes. Thread-safe. These methods are part of the public class {@link
 * CouchDatabase}.
 */
abstract class IndexedDatabase extends BareDatabase {

    private static final int GATEWAY_TIMEOUT = 504;

    /** Matches the server's names for the shards of the database. */
    private final Pattern shard;

    IndexedDatabase(Http http, String name) {
        super(http, name);
        this.shard = Pattern.compile("(shards/[^/]+/)?" + Pattern.quote(name) + "(\\.\\d+)?");
    }

    /**
     * {@return the rows of a view, all in memory at once; set a limit for large views}
     *
     * @param query which rows
     * @throws CouchNotFoundException if there is no such design document or view
     * @throws IndexBeingBuiltException if the server gave up waiting for the index, or {@link CouchConfig#responseTimeout}
     *     was over
     */
    public ViewResult view(ViewQuery query) {
        Call call = Call.ask(path(query), query.toJson());
        return explain(query.designDoc(), () -> http.exchange(call, ViewParser::one));
    }

    /**
     * Sends several queries to one view in one request.
     *
     * @param queries at least one, all of the same view
     * @return one result per query, in their order
     * @throws IllegalArgumentException if there is no query, or the queries are of different views
     */
    public List<ViewResult> views(List<ViewQuery> queries) {
        UrlPath several = pathOfAll(queries).segment("queries");
        ObjectNode question = Json.object();
        ArrayNode each = question.putArray("queries");
        queries.forEach(query -> each.add(query.toJson()));
        Call call = Call.ask(several, question);
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
                .map(design -> path.designDoc(design).segment("_view"))
                .orElse(path)
                .segment(query.view());
    }

    /**
     * {@return how many changes the index of a design document has yet to process; 0 when it is up to date, or the server
     * does not say}
     *
     * @param designDoc the design document's name, with or without {@code _design/}
     * @throws CouchNotFoundException if there is no such design document
     */
    public long changesToIndex(String designDoc) {
        return index(designDoc).path("updates_pending").path("preferred").asLong();
    }

    final JsonNode index(String designDoc) {
        Call call = Call.get(path.designDoc(designDoc).segment("_info"));
        return http.exchange(call, Answer::object).path("view_index");
    }

    /**
     * {@return the progress of the index of a design document; empty when it is not being built}
     *
     * @param designDoc the design document's name, with or without {@code _design/}
     * @throws CouchNotFoundException if there is no such design document
     */
    public Optional<IndexBeingBuiltException.Progress> indexProgress(String designDoc) {
        return index(designDoc).path("updater_running").asBoolean()
                ? Optional.of(new IndexBeingBuiltException.Progress(
                        UrlPath.designName(designDoc), name(), percent(designDoc)))
                : Optional.empty();
    }

    /** Runs a query, and throws {@link IndexBeingBuiltException} when it timed out because the index is being built. */
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
            return indexProgress(designDoc);
        } catch (CouchException unknown) {
            return Optional.empty();
        }
    }

    /** Returns whether CouchDB, a proxy or this client gave up waiting. */
    private static boolean isTooSlow(CouchException failed) {
        return (failed.status() == 500 && failed.error().equals("timeout"))
                || failed.status() == GATEWAY_TIMEOUT
                || failed.getCause() instanceof SocketTimeoutException;
    }

    /**
     * Returns the progress over all shards; -1 when it is unknown. Each shard has a task of its own, and finished tasks are
     * not listed.
     */
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
