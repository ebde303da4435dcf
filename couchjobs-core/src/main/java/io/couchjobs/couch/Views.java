package io.couchjobs.couch;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.UrlPath;
import java.util.List;

/** Asks the views of one database. */
final class Views {

    private final Http http;
    private final UrlPath database;
    private final Indexes indexes;

    Views(Http http, UrlPath database, Indexes indexes) {
        this.http = http;
        this.database = database;
        this.indexes = indexes;
    }

    ViewResult ask(ViewQuery query) {
        Call call = Call.ask(path(query), query.toJson());
        return indexes.explain(query.designDoc(), () -> http.exchange(call, ViewParser::one));
    }

    List<ViewResult> ask(List<ViewQuery> queries) {
        UrlPath path = pathOfAll(queries).segment("queries");
        ObjectNode question = Json.object();
        ArrayNode each = question.putArray("queries");
        queries.forEach(query -> each.add(query.toJson()));
        Call call = Call.ask(path, question);
        return indexes.explain(
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
                .map(name -> database.designDoc(name).segment("_view"))
                .orElse(database)
                .segment(query.view());
    }
}
