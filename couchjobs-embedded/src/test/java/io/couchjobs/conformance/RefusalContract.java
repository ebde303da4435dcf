package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that make no sense: each is refused with a status, an error and a reason, and stores nothing. */
abstract class RefusalContract {
    private static final String BAD_REV = "400 bad_request: Invalid rev format";

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"{bad", "{", "{\"a\":1}}", "{'a':1}", "{\"a\":\"\u0001"})
    void a_body_that_is_not_json_is_refused(String body, Db db) {
        Reply reply = raw(db, "PUT", "/a", body);

        assertThat(reply.error()).isEqualTo("400 bad_request: invalid UTF-8 JSON");
        assertThat(db.read("a").status()).isEqualTo(404);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"[1]", "1", "\"x\"", "null", "true"})
    void a_document_that_is_not_an_object_is_refused(String body, Db db) {
        assertThat(raw(db, "PUT", "/a", body).error()).isEqualTo("400 bad_request: Document must be a JSON object");
    }

    @Test
    void an_integer_that_no_double_can_hold_breaks_the_request_and_stores_nothing(Db db) {
        BigInteger least = BigInteger.TWO.pow(1024).subtract(BigInteger.TWO.pow(970));

        for (BigInteger huge : List.of(least, least.negate(), BigInteger.TEN.pow(5_000))) {
            assertThat(raw(db, "PUT", "/a", "{\"n\":[" + huge + "]}").error()).isEqualTo("500 unknown_error: badarith");
            assertThat(raw(db, "POST", "/_bulk_docs", "{\"docs\":[{\"_id\":\"b\"},{\"n\":" + huge + "}]}")
                            .error())
                    .isEqualTo("500 unknown_error: badarith");
        }
        assertThat(db.read("a").status()).isEqualTo(404);
        assertThat(db.read("b").status()).isEqualTo(404);
        String largest = String.valueOf(least.subtract(BigInteger.ONE));
        assertThat(raw(db, "PUT", "/a", "{\"n\":" + largest + "}").status()).isEqualTo(201);
        assertThat(db.read("a").text("/n")).isEqualTo(largest);
    }

    @Test
    void bytes_that_are_not_utf_8_are_refused(Db db) {
        byte[] latin1 = "{\"a\":\"ä\"}".getBytes(StandardCharsets.ISO_8859_1);

        assertThat(db.sendRaw("PUT", "/a", latin1, "Content-Type", "application/json")
                        .error())
                .isEqualTo("400 bad_request: invalid UTF-8 JSON");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"})
    void json_in_another_encoding_is_refused(String encoding, Db db) {
        byte[] body = "{\"a\":1}".getBytes(Charset.forName(encoding));

        assertThat(db.sendRaw("PUT", "/a", body, "Content-Type", "application/json")
                        .error())
                .isEqualTo("400 bad_request: invalid UTF-8 JSON");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"d83d", "dc00", "d83dx", "d83d\\ud83d", "dc00\\ud83d"})
    void half_of_a_surrogate_pair_is_refused_in_texts_and_names(String half, Db db) {
        for (String body : List.of("{\"n\":[\"\\u" + half + "\"]}", "{\"n\":{\"\\u" + half + "\":1}}")) {
            assertThat(raw(db, "PUT", "/a", body).error()).isEqualTo("400 bad_request: invalid UTF-8 JSON");
        }
        assertThat(db.read("a").status()).isEqualTo(404);
        assertThat(raw(db, "PUT", "/a", "{\"\\ud83d\\ude00\":\"\\ud83d\\ude00\"}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void a_conflict_is_told_in_the_same_words_alone_and_in_a_batch(Db db) {
        db.save("{_id: 'a'}");

        assertThat(db.put("/a", "{n: 2}").error()).isEqualTo("409 conflict: Document update conflict.");
        assertThat(db.post("/_bulk_docs", "{docs: [{_id: 'a'}]}").at("/0"))
                .isEqualTo(json("{id: 'a', error: 'conflict', reason: 'Document update conflict.'}"));
    }

    @Test
    void a_field_that_starts_with_an_underscore_is_the_servers_own(Db db) {
        assertThat(db.put("/a", "{_foo: 1}").error())
                .isEqualTo("400 doc_validation: Bad special document member: _foo");
    }

    @Test
    void an_id_that_starts_with_an_underscore_is_the_servers_own(Db db) {
        String refused = "400 illegal_docid: Only reserved document ids may start with underscore.";

        assertThat(db.put("/_a", "{}").error()).isEqualTo(refused);
        assertThat(db.post("", "{_id: '_a'}").error()).isEqualTo(refused);
    }

    @Test
    void an_id_is_a_string_and_not_empty(Db db) {
        assertThat(db.post("", "{_id: 7}").error()).isEqualTo("400 illegal_docid: Document id must be a string");
        assertThat(db.post("", "{_id: ''}").error()).isEqualTo("400 illegal_docid: Document id must not be empty");
    }

    @Test
    void a_revision_has_a_number_and_a_hash(Db db) {
        db.save("{_id: 'a'}");

        assertThat(db.put("/b", "{_rev: 'abc'}").error()).isEqualTo(BAD_REV);
        assertThat(db.get("/a?rev=abc").error()).isEqualTo(BAD_REV);
        assertThat(db.delete("/a?rev=abc").error()).isEqualTo(BAD_REV);
    }

    @Test
    void the_hash_of_a_revision_may_be_empty_and_is_then_of_no_document(Db db) {
        assertThat(db.put("/b", "{_rev: '1-'}").errorKind()).isEqualTo("409 conflict");

        db.save("{_id: 'a'}");
        assertThat(db.get("/a?rev=1-").error()).isEqualTo("404 not_found: missing");
        assertThat(db.delete("/a?rev=1-").errorKind()).isEqualTo("409 conflict");
    }

    @Test
    void the_notes_of_a_replicator_may_be_members_of_a_document(Db db) {
        db.save("{_id: 'a', _replication_id: 'r', _replication_state: 's', _replication_state_reason: 'w',"
                + " _replication_state_time: 't', _replication_stats: {}}");

        assertThat(db.read("a").text("/_replication_state")).isEqualTo("s");
        assertThat(db.put("/b", "{_replication_foo: 1}").error())
                .isEqualTo("400 doc_validation: Bad special document member: _replication_foo");
    }

    @Test
    void a_revision_that_never_was_is_missing(Db db) {
        db.save("{_id: 'a'}");

        assertThat(db.get("/a?rev=3-00000000000000000000000000000000").error()).isEqualTo("404 not_found: missing");
    }

    @Test
    void a_post_says_that_it_is_json(Db db) {
        String refused = "415 bad_content_type: Content-Type must be application/json";

        assertThat(db.sendRaw("POST", "", utf8("{}"), "Content-Type", "text/plain")
                        .error())
                .isEqualTo(refused);
        assertThat(db.sendRaw("POST", "/_bulk_docs", utf8("{\"docs\":[]}"), "Content-Type", "text/plain")
                        .error())
                .isEqualTo(refused);
        assertThat(db.send("POST", "/_compact").error()).isEqualTo(refused);
    }

    @Test
    void a_resource_names_the_methods_that_it_knows(Db db) {
        Reply allDocs = db.send("PUT", "/_all_docs");
        Reply bulkDocs = db.get("/_bulk_docs");

        assertThat(allDocs.error()).isEqualTo("405 method_not_allowed: Only GET,HEAD,POST allowed");
        assertThat(allDocs.header("Allow")).isEqualTo("GET,HEAD,POST");
        assertThat(bulkDocs.error()).isEqualTo("405 method_not_allowed: Only POST allowed");
        assertThat(bulkDocs.header("Allow")).isEqualTo("POST");
    }

    @Test
    void a_resource_that_no_server_knows_is_not_found(Db db) {
        assertThat(db.get("/_nothing").error()).isEqualTo("404 not_found: missing");
    }

    @Test
    void a_view_of_a_missing_design_document_is_not_found(Db db) {
        assertThat(db.get("/_design/none").error()).isEqualTo("404 not_found: missing");
        assertThat(db.get("/_design/none/_view/v").error()).isEqualTo("404 not_found: missing");
    }

    @Test
    void a_view_that_its_design_document_does_not_have_is_not_found(Db db) {
        db.view("function (doc) { emit(doc._id, null); }");

        assertThat(db.get("/_design/t/_view/none").error()).isEqualTo("404 not_found: missing_named_view");
    }

    @Test
    void a_view_of_a_deleted_design_document_is_not_found(Db db) {
        db.view("function (doc) { emit(doc._id, null); }");
        db.delete("/_design/t?rev=" + db.get("/_design/t").text("/_rev")).expect(200, 202);

        assertThat(db.get("/_design/t/_view/v").error()).isEqualTo("404 not_found: deleted");
    }

    @Test
    void a_map_function_that_does_not_compile_is_not_stored(Db db) {
        Reply reply = db.put("/_design/t", "{views: {v: {map: 'function (doc) { emit('}}}");

        assertThat(reply.errorKind()).isEqualTo("400 compilation_error");
        assertThat(reply.text("/reason")).startsWith("Compilation of the map function in the 'v' view failed: ");
        assertThat(db.get("/_design/t").status()).isEqualTo(404);
    }

    @Test
    void a_reduce_that_nobody_knows_is_not_stored(Db db) {
        Reply reply = db.put("/_design/t", "{views: {v: {map: 'function (doc) {}', reduce: '_nope'}}}");

        assertThat(reply.error()).isEqualTo("400 invalid_design_doc: `_nope` is not a supported reduce function.");
    }

    @Test
    void a_number_in_a_query_is_a_number(Db db) {
        assertThat(db.get("/_all_docs?limit=x").error())
                .isEqualTo("400 query_parse_error: Invalid value for integer: \"x\"");
        assertThat(db.get("/_all_docs?limit=-1").error())
                .isEqualTo("400 query_parse_error: Invalid value for positive integer: \"-1\"");
    }

    @Test
    void a_key_in_a_query_is_json(Db db) {
        assertThat(db.get("/_all_docs?key=bare").error()).isEqualTo("400 bad_request: invalid UTF-8 JSON");
        assertThat(db.get("/_all_docs?keys=1").error())
                .isEqualTo("400 bad_request: `keys` parameter must be an array.");
    }

    @Test
    void a_kind_of_feed_that_nobody_knows_is_refused(Db db) {
        assertThat(db.changes("feed", "bogus").errorKind()).isEqualTo("400 bad_request");
        assertThat(db.changes("since", "bogus").errorKind()).isEqualTo("400 bad_request");
        assertThat(db.changes("filter", "none/f").error()).isEqualTo("404 not_found: missing");
    }

    @Test
    void purging_takes_an_object_of_lists(Db db) {
        assertThat(db.post("/_purge", json("[]")).error())
                .isEqualTo("400 bad_request: Request body must be a JSON object");
        assertThat(db.post("/_purge", object()).status()).isEqualTo(201);
    }

    private static Reply raw(Db db, String method, String path, String body) {
        return db.sendRaw(method, path, utf8(body), "Content-Type", "application/json");
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
