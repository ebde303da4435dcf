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
 * A database whose views are asked, and which says how far their indexes are. Thread-safe. Users see these methods as those of
 * {@link CouchDatabase}.
 */
abstract class IndexedDatabase extends BareDatabase {

    private static final int GATEWAY_TIMEOUT = 504;

    /** The server's names for the database's parts. */
    private final Pattern shard;

    IndexedDatabase(Http http, String name) {
        super(http, name);
        this.shard = Pattern.compile("(shards/[^/]+/)?" + Pattern.quote(name) + "(\\.\\d+)?");
    }

    /**
     * {@return the rows of a view, all of them in memory: set a limit}
     *
     * @param query which rows
     * @throws CouchNotFoundException no such design document or view
     * @throws IndexBeingBuiltException the server, or {@link CouchConfig#responseTimeout}, gave up waiting for the index
     */
    public ViewResult view(ViewQuery query) {
        Call call = Call.ask(path(query), query.toJson());
        return explain(query.designDoc(), () -> http.exchange(call, ViewParser::one));
    }

    /**
     * Several questions to one view in one request.
     *
     * @param queries at least one, all of the same view
     * @return one answer per query, in their order
     * @throws IllegalArgumentException no query, or queries of different views
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
     * {@return how many changes the index of a design document lacks; 0 when it is up to date, or the server does not say}
     *
     * @param designDoc its name, with or without {@code _design/}
     * @throws CouchNotFoundException there is no such design document
     */
    public long changesToIndex(String designDoc) {
        return index(designDoc).path("updates_pending").path("preferred").asLong();
    }

    final JsonNode index(String designDoc) {
        Call call = Call.get(path.designDoc(designDoc).segment("_info"));
        return http.exchange(call, Answer::object).path("view_index");
    }

    /**
     * {@return how far the index of a design document is; empty when it is up to date}
     *
     * @param designDoc its name, with or without {@code _design/}
     * @throws CouchNotFoundException there is no such design document
     */
    public Optional<IndexBeingBuiltException.Progress> indexProgress(String designDoc) {
        return index(designDoc).path("updater_running").asBoolean()
                ? Optional.of(new IndexBeingBuiltException.Progress(
                        UrlPath.designName(designDoc), name(), percent(designDoc)))
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
            return indexProgress(designDoc);
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
