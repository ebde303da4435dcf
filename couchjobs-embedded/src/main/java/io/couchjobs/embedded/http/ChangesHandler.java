package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.feed.Feed;
import io.couchjobs.embedded.feed.FeedRequest;
import io.couchjobs.embedded.feed.LeafFilter;
import io.couchjobs.embedded.feed.Selector;
import io.couchjobs.embedded.feed.Seqs;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.view.ViewFilter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Handles {@code _changes}: parses the request and runs a {@link Feed}. */
final class ChangesHandler implements DbHandler {
    private static final long LONGEST_WAIT = 60_000;

    @Override
    public void handle(Call call, Db db) throws IOException, InterruptedException {
        call.allow("GET", "POST", "HEAD");
        ObjectNode body = call.is("POST") ? call.jsonObjectOrNone() : Json.object();
        FeedRequest request = request(call, db, body);
        boolean events = request.form() == FeedRequest.Form.EVENTSOURCE;
        try (OutputStream out = call.stream(200, events ? "text/event-stream" : "application/json")) {
            out.flush();
            new Feed(db.database(), request, out).run();
        }
    }

    private static FeedRequest request(Call call, Db db, ObjectNode body) {
        long limit = number(call, "limit").orElse(FeedRequest.NO_LIMIT);
        FeedRequest.Rows rows = new FeedRequest.Rows(
                call.flag("descending"), call.flag("include_docs"), call.flag("conflicts"), call.flag("attachments"));
        return new FeedRequest(
                form(call),
                since(call, db.database()),
                Math.max(0, limit),
                seqInterval(call),
                heartbeat(call),
                Math.min(LONGEST_WAIT, number(call, "timeout").orElse(LONGEST_WAIT)),
                rows,
                leafFilter(call, db.database(), db.user(), body));
    }

    static LeafFilter leafFilter(Call call, Database database, User user, ObjectNode body) {
        boolean allLeaves = call.param("style").filter("all_docs"::equals).isPresent();
        return new LeafFilter(database, allLeaves, filter(call, database, user, body));
    }

    /** A row contains its sequence if the number of remaining rows, including itself, is a multiple of this interval. */
    static long seqInterval(Call call) {
        String text = call.param("seq_interval").orElse("1");
        if (!text.matches("[+]?[0-9]{1,18}") || Long.parseLong(text) == 0) {
            throw CouchError.badRequest("invalid_seq_interval");
        }
        return Long.parseLong(text);
    }

    static FeedRequest.Form form(Call call) {
        return switch (call.param("feed").orElse("normal")) {
            case "normal" -> FeedRequest.Form.NORMAL;
            case "longpoll" -> FeedRequest.Form.LONGPOLL;
            case "continuous", "live" -> FeedRequest.Form.CONTINUOUS;
            case "eventsource" -> FeedRequest.Form.EVENTSOURCE;
            default ->
                throw CouchError.badRequest("Supported `feed` types: normal, continuous, live, longpoll, eventsource");
        };
    }

    private static long since(Call call, Database database) {
        return call.header("Last-Event-ID")
                .or(() -> call.param("last-event-id"))
                .or(() -> call.param("since"))
                .map(text -> Seqs.parse(database, text))
                .orElse(0L);
    }

    private static long heartbeat(Call call) {
        Optional<String> given = call.param("heartbeat").filter(text -> !text.equals("false"));
        if (given.isEmpty()) {
            return 0;
        }
        long millis = given.get().equals("true") ? LONGEST_WAIT : millis(given.get());
        if (millis <= 0) {
            throw CouchError.badRequest("The heartbeat value should be a positive integer (in milliseconds).");
        }
        return Math.min(LONGEST_WAIT, millis);
    }

    private static long millis(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw CouchError.badRequest(
                    "Invalid heartbeat value. Expecting a positive integer value (in milliseconds).");
        }
    }

    private static Optional<Long> number(Call call, String name) {
        return call.param(name).map(text -> Params.number(name, text));
    }

    private static Predicate<Doc> filter(Call call, Database database, User user, ObjectNode body) {
        String name = call.param("filter").orElse("");
        return switch (name) {
            case "" -> doc -> true;
            case "_doc_ids" -> ids(call.param("doc_ids").map(Json::parse).orElse(body.path("doc_ids")));
            case "_selector" -> {
                if (!call.is("POST")) {
                    throw CouchError.badRequest("Selector must be specified in POST payload");
                }
                Predicate<com.fasterxml.jackson.databind.JsonNode> selector = Selector.compile(body.path("selector"));
                yield doc -> selector.test(doc.json());
            }
            case "_design" -> doc -> doc.id().startsWith("_design/");
            case "_view" ->
                ViewFilter.byView(
                        database,
                        call.param("view")
                                .orElseThrow(() -> CouchError.badRequest("`view` filter parameter is not provided.")));
            default -> ViewFilter.byFunction(database, name, functionRequest(call, database, user));
        };
    }

    private static JsonNode functionRequest(Call call, Database database, User user) {
        ObjectNode request = Json.object().put("method", call.method());
        ObjectNode query = request.putObject("query");
        call.query().forEach(query::put);
        request.set("userCtx", user.context(database.name()));
        request.set("secObj", database.settings().security());
        return request;
    }

    private static Predicate<Doc> ids(JsonNode wanted) {
        if (!wanted.isArray()) {
            throw CouchError.badRequest("`doc_ids` filter parameter is not a list.");
        }
        Set<String> ids = new HashSet<>();
        wanted.forEach(id -> ids.add(id.asText()));
        return doc -> ids.contains(doc.id());
    }
}
