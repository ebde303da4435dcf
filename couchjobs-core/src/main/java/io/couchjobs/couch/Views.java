package io.couchjobs.couch;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Asks the views of one database. */
final class Views {

    private final Http http;
    private final UrlPath database;

    Views(Http http, UrlPath database) {
        this.http = http;
        this.database = database;
    }

    ViewResult ask(ViewQuery query) {
        return http.exchange(Call.ask(path(query), query.toJson()), ViewParser::one);
    }

    List<ViewResult> ask(List<ViewQuery> queries) {
        UrlPath path = pathOfAll(queries).segment("queries");
        ObjectNode question = Json.object();
        ArrayNode each = question.putArray("queries");
        queries.forEach(query -> each.add(query.toJson()));
        return http.exchange(Call.ask(path, question), answer -> {
            List<ViewResult> results = ViewParser.several(answer);
            if (results.size() != queries.size()) {
                throw answer.unusable("it has " + results.size() + " results for " + queries.size() + " queries");
            }
            return results;
        });
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
