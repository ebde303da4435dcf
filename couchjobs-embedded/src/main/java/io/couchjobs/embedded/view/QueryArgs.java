package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Collation;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a query, from the query string and the body. The body overrides the query string.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/api/ddoc/views.html">The view API</a>
 */
public final class QueryArgs {
    private static final Set<String> JSON_PARAMETERS =
            Set.of("key", "keys", "startkey", "start_key", "endkey", "end_key");

    private final ObjectNode args;
    private final boolean keysFromBody;

    private QueryArgs(ObjectNode args, boolean keysFromBody) {
        this.args = args;
        this.keysFromBody = keysFromBody;
    }

    public static QueryArgs of(Map<String, String> query, @Nullable ObjectNode body) {
        ObjectNode args = Json.object();
        query.forEach((name, value) -> {
            if (JSON_PARAMETERS.contains(name)) {
                args.set(name, Json.parse(value));
            } else {
                args.put(name, value);
            }
        });
        if (body != null) {
            args.setAll(body);
        }
        return new QueryArgs(args, body != null && body.has("keys"));
    }

    /** {@return the parameters of one of several queries, which override those of the request} */
    public QueryArgs with(JsonNode query) {
        ObjectNode copy = args.deepCopy();
        copy.remove("queries");
        copy.setAll(Json.asObject(query, "queries must be an array of objects"));
        return new QueryArgs(copy, false);
    }

    public Optional<List<JsonNode>> queries() {
        return array("queries", QueryArgs::noArrayInBody);
    }

    public Optional<List<JsonNode>> keys() {
        return array(
                "keys",
                name -> keysFromBody
                        ? noArrayInBody(name)
                        : CouchError.queryParse("`keys` must be an array of strings."));
    }

    private static CouchError noArrayInBody(String name) {
        return CouchError.badRequest("`" + name + "` member must be an array.");
    }

    /** Returns the {@link #keys()} for documents by id, where CouchDB has other error messages. */
    public Optional<List<JsonNode>> ids(boolean fromBody) {
        String where = fromBody ? "body member" : "parameter";
        return array("keys", name -> CouchError.badRequest("`keys` " + where + " must be an array."));
    }

    private Optional<List<JsonNode>> array(String name, Function<String, CouchError> notAnArray) {
        JsonNode value = args.get(name);
        if (value == null) {
            return Optional.empty();
        }
        if (!value.isArray()) {
            throw notAnArray.apply(name);
        }
        List<JsonNode> list = new ArrayList<>();
        value.forEach(list::add);
        return Optional.of(list);
    }

    /** Throws an error for several keys with a range. A single key is allowed: CouchDB treats it as a range. */
    public void requireCompatible() {
        if (args.path("keys").size() > 1 && (startKey() != null || endKey() != null)) {
            throw CouchError.queryParse("`keys` is incompatible with `key`, `start_key` and `end_key`");
        }
    }

    public @Nullable JsonNode startKey() {
        return first("key", "startkey", "start_key");
    }

    public @Nullable JsonNode endKey() {
        return first("key", "endkey", "end_key");
    }

    private @Nullable JsonNode first(String... names) {
        for (String name : names) {
            if (args.has(name)) {
                return args.get(name);
            }
        }
        return null;
    }

    @Nullable
    String startDocId() {
        return text("startkey_docid", "start_key_doc_id");
    }

    @Nullable
    String endDocId() {
        return text("endkey_docid", "end_key_doc_id");
    }

    private @Nullable String text(String... names) {
        JsonNode value = first(names);
        return value == null ? null : value.asText();
    }

    /** Throws an error when the start of the range is behind its end. */
    void requireForwards() {
        JsonNode start = startKey();
        JsonNode end = endKey();
        if (start == null || end == null) {
            return;
        }
        int order = Arrays.compareUnsigned(Collation.key(start), Collation.key(end));
        if (descending() ? order < 0 : order > 0) {
            throw CouchError.queryParse("No rows can match your key range, reverse your start_key and end_key or set"
                    + " descending=" + !descending());
        }
    }

    public boolean inclusiveEnd() {
        return args.has("key") || flag("inclusive_end", true);
    }

    public boolean descending() {
        return flag("descending", false);
    }

    public boolean includeDocs() {
        return flag("include_docs", false);
    }

    public boolean conflicts() {
        return flag("conflicts", false);
    }

    public boolean attachments() {
        return flag("attachments", false);
    }

    public boolean updateSeq() {
        return flag("update_seq", false);
    }

    public boolean reduce() {
        return flag("reduce", true);
    }

    public boolean reduceAsked() {
        return args.has("reduce") && reduce();
    }

    /** {@return the number of key elements that form a group; 0 for one group of all rows, the maximum for a group per key} */
    public int groupLevel() {
        if (args.has("group_level")) {
            return (int) number("group_level", 0);
        }
        return flag("group", false) ? Integer.MAX_VALUE : 0;
    }

    public long limit() {
        return number("limit", Long.MAX_VALUE);
    }

    public long skip() {
        return number("skip", 0);
    }

    /** {@return when the index is refreshed: {@code true} before the answer, {@code lazy} after it, {@code false} never} */
    public String update() {
        String stale = text("stale");
        if (stale != null) {
            return stale.equals("ok") ? "false" : "lazy";
        }
        String update = args.path("update").asText("true");
        if (!Set.of("true", "false", "lazy").contains(update)) {
            throw CouchError.queryParse("Invalid value for `update`.");
        }
        return update;
    }

    private boolean flag(String name, boolean otherwise) {
        JsonNode value = args.get(name);
        if (value == null) {
            return otherwise;
        }
        return switch (value.asText()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw CouchError.queryParse("Invalid boolean parameter: " + Json.text(value));
        };
    }

    private long number(String name, long otherwise) {
        JsonNode value = args.get(name);
        if (value == null) {
            return otherwise;
        }
        long number;
        try {
            number = Long.parseLong(value.asText());
        } catch (NumberFormatException e) {
            throw CouchError.queryParse("Invalid value for integer: " + Json.text(value));
        }
        if (number < 0) {
            throw CouchError.queryParse("Invalid value for positive integer: " + Json.text(value));
        }
        return number;
    }
}
