package io.couchjobs.embedded.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.embedded.store.CouchStore;
import io.couchjobs.fuzz.Trees;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests to the embedded server: each is answered or refused as the client's mistake, and never fails. */
class RequestsFuzzTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int ENOUGH = 300;
    private static final String DESIGN = "{\"views\":{\"v\":{\"map\":\"function (doc) { emit(doc.type, doc.x); }\","
            + "\"reduce\":\"_stats\"},\"w\":{\"map\":\"function (doc) { emit([doc._id, doc.time], null); }\","
            + "\"reduce\":\"_count\"}}}";
    private static final List<String> PATHS = List.of(
            "/",
            "/_up",
            "/_all_dbs",
            "/_session",
            "/_uuids",
            "/_active_tasks",
            "/_membership",
            "/_node/_local/_config",
            "/_users",
            "/db",
            "/db2",
            "/db/a",
            "/db/b",
            "/db/_local/a",
            "/db/_design/d",
            "/db/_design/d/_view/v",
            "/db/_design/d/_view/w",
            "/db/_design/d/_view/w/queries",
            "/db/_design/d/_info",
            "/db/_all_docs",
            "/db/_all_docs/queries",
            "/db/_local_docs",
            "/db/_bulk_docs",
            "/db/_bulk_get",
            "/db/_changes",
            "/db/_purge",
            "/db/_missing_revs",
            "/db/_revs_diff",
            "/db/_compact",
            "/db/_compact/d",
            "/db/_view_cleanup",
            "/db/_security",
            "/db/_revs_limit",
            "/db/_purged_infos_limit",
            "/db/_ensure_full_commit",
            "/db/_find",
            "/db/a/att");
    private static final List<String> PARAMETERS = List.of(
            "rev",
            "revs",
            "open_revs",
            "conflicts",
            "attachments",
            "new_edits",
            "batch",
            "key",
            "keys",
            "startkey",
            "endkey",
            "start_key_doc_id",
            "startkey_docid",
            "endkey_docid",
            "limit",
            "skip",
            "descending",
            "reduce",
            "group",
            "group_level",
            "include_docs",
            "inclusive_end",
            "update",
            "stable",
            "since",
            "style",
            "filter",
            "doc_ids",
            "seq_interval",
            "latest",
            "att_encoding_info",
            "count",
            "heartbeat",
            "timeout",
            "view",
            "q",
            "n",
            "sorted");
    private static final List<String> VALUES = List.of(
            "true",
            "false",
            "all",
            "0",
            "1",
            "-1",
            "99999999999999999999",
            "%22a%22",
            "%5B%22a%22%5D",
            "%7B%7D",
            "null",
            "1-a",
            "1-967a00dff5e02add41819138abb3284d",
            "now",
            "_view",
            "_doc_ids",
            "_selector",
            "all_docs",
            "%00",
            "%",
            "a");
    private static final List<String> FIELDS = List.of(
            "_id",
            "_rev",
            "_deleted",
            "_attachments",
            "_revisions",
            "docs",
            "keys",
            "queries",
            "selector",
            "doc_ids",
            "new_edits",
            "start_key",
            "startkey",
            "limit",
            "skip",
            "$gt",
            "$or",
            "$in",
            "data",
            "stub",
            "digest",
            "revpos",
            "start",
            "ids",
            "a",
            "b",
            "views",
            "map",
            "reduce",
            "language",
            "validate_doc_update",
            "admins",
            "members");
    private static final List<String> WORDS =
            List.of("a", "b", "1-a", "_x", "_design/d", "_local/a", "YQ==", "javascript");

    private @Nullable WithinThread server;
    private int served;

    @FuzzTest
    @DictionaryFile(resourcePath = "/words.dict")
    void a_request_is_answered_or_refused(FuzzedDataProvider data) throws IOException {
        WithinThread fresh = server();
        for (int i = data.consumeInt(1, 3); i > 0; i--) {
            String method =
                    data.pickValue(List.of("GET", "GET", "GET", "PUT", "POST", "POST", "DELETE", "HEAD", "COPY", "X"));
            String type = data.consumeInt(0, 9) == 0
                    ? data.consumeAsciiString(10).replaceAll("[\r\n]", "")
                    : "application/json";
            byte[] body = data.consumeInt(0, 4) == 0
                    ? data.consumeBytes(40)
                    : body(data).getBytes(StandardCharsets.UTF_8);
            ask(fresh, method, target(data), Map.of("Content-Type", type), body);
        }
    }

    private static void ask(WithinThread server, String method, String target, Map<String, String> headers, byte[] body)
            throws IOException {
        URI uri;
        try {
            uri = new URI(target);
        } catch (URISyntaxException notARequest) {
            return;
        }
        if (uri.getRawPath() == null || target.contains("feed") || target.contains("validate")) {
            return; // the first is refused by any server, the other may have no end
        }
        ToMemory exchange = new ToMemory(method, uri, headers, body);
        server.serve(exchange);
        String answer = new String(exchange.answer(), StandardCharsets.UTF_8);
        if (exchange.getResponseCode() == 500 && method.equals("HEAD")) {
            ask(server, "GET", target, headers, body); // which has the words that tell why
            return;
        }
        if (answer.contains("builtin_reduce_error")) {
            return; // CouchDB says so with 500, too
        }
        assertThat(exchange.getResponseCode())
                .as(method + " " + target + " " + new String(body, StandardCharsets.UTF_8) + ": " + answer)
                .isBetween(200, 499);
        String type = exchange.getResponseHeaders().getFirst("Content-Type");
        if ("application/json".equals(type) && !answer.isEmpty()) {
            MAPPER.readTree(answer);
        }
    }

    private WithinThread server() throws IOException {
        WithinThread known = server;
        if (known == null || served++ % ENOUGH == 0) {
            known = new WithinThread(CouchStore.open(null));
            server = known;
            Map<String, String> json = Map.of("Content-Type", "application/json");
            ask(known, "PUT", "/db", Map.of(), new byte[0]);
            ask(known, "PUT", "/db/_design/d", json, DESIGN.getBytes(StandardCharsets.UTF_8));
            ask(known, "PUT", "/db/a", json, "{\"type\":\"t\",\"x\":1}".getBytes(StandardCharsets.UTF_8));
            ask(known, "PUT", "/db/b", json, "{\"type\":[\"t\"],\"x\":2}".getBytes(StandardCharsets.UTF_8));
        }
        return known;
    }

    private static String body(FuzzedDataProvider data) {
        var body = Trees.object(data);
        for (int i = data.consumeInt(0, 4); i > 0; i--) {
            String field = data.pickValue(FIELDS);
            switch (data.consumeInt(0, 3)) {
                case 0 -> body.set(field, Trees.value(data));
                case 1 -> body.put(field, data.pickValue(WORDS));
                case 2 ->
                    body.putArray(field).add(Trees.object(data).put(data.pickValue(FIELDS), data.pickValue(WORDS)));
                default -> body.putObject(field).set(data.pickValue(FIELDS), Trees.value(data));
            }
        }
        return body.toString();
    }

    private static String target(FuzzedDataProvider data) {
        String path = data.consumeInt(0, 9) == 0 ? "/" + data.consumeString(20) : data.pickValue(PATHS);
        StringBuilder target = new StringBuilder(path).append('?');
        for (int i = data.consumeInt(0, 4); i > 0; i--) {
            String value = data.consumeInt(0, 3) > 0 ? data.pickValue(VALUES) : data.consumeString(10);
            target.append(data.pickValue(PARAMETERS)).append('=').append(value).append('&');
        }
        return target.toString();
    }
}
