package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.view.QueryArgs;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Answers one query, or several queries in one request. */
final class Queries {
    /** Writes the answer to one query. */
    @FunctionalInterface
    interface Answer {
        void write(QueryArgs args, OutputStream out) throws IOException;
    }

    private Queries() {}

    /** Reads the queries from the URL or the body, and answers them. */
    static void run(Call call, boolean several, Answer answer) throws IOException {
        ObjectNode body = call.is("POST") ? call.jsonObject() : null;
        QueryArgs args = QueryArgs.of(call.query(), body);
        if (args.queries().isEmpty() && several) {
            throw CouchError.badRequest("POST body must include `queries` parameter.");
        }
        if (args.queries().isPresent() && !several) {
            throw CouchError.badRequest("The `queries` parameter is no longer supported at this endpoint");
        }
        args.requireCompatible();
        LazyOutput out = new LazyOutput(call);
        if (args.queries().isPresent()) {
            all(args, args.queries().get(), answer, out);
        } else {
            answer.write(args, out);
        }
        out.write('\n');
        out.close();
    }

    private static void all(QueryArgs args, List<JsonNode> queries, Answer answer, OutputStream out)
            throws IOException {
        List<QueryArgs> each = queries.stream().map(args::with).toList();
        each.forEach(QueryArgs::requireCompatible);
        String separator = "";
        out.write(bytes("{\"results\":[\n"));
        for (QueryArgs one : each) {
            out.write(bytes(separator));
            answer.write(one, out);
            separator = ",\n";
        }
        out.write(bytes("\n]}"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
