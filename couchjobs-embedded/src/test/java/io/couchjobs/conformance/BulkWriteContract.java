package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many documents in one request: each has its own fate, told in its own row. */
abstract class BulkWriteContract {

    @Test
    void a_batch_is_answered_with_a_row_for_each_document_in_order(Db db) {
        Reply reply = db.post("/_bulk_docs", "{docs: [{_id: 'b'}, {_id: 'a'}, {_id: 'c'}]}")
                .expect(201);

        assertThat(reply.ids()).containsExactly("b", "a", "c");
        assertThat(reply.rows()).allMatch(row -> row.path("ok").asBoolean());
        assertThat(reply.text("/1/rev")).isEqualTo(db.read("a").text("/_rev"));
    }

    @Test
    void a_conflict_concerns_its_own_row_only(Db db) {
        db.save("{_id: 'b', n: 1}");

        Reply reply = db.post("/_bulk_docs", "{docs: [{_id: 'a'}, {_id: 'b', n: 2}, {_id: 'c'}]}")
                .expect(201);

        assertThat(reply.text("/1/id")).isEqualTo("b");
        assertThat(reply.text("/1/error")).isEqualTo("conflict");
        assertThat(reply.at("/1").has("rev")).isFalse();
        assertThat(reply.at("/0/ok").asBoolean()).isTrue();
        assertThat(reply.at("/2/ok").asBoolean()).isTrue();
        assertThat(db.read("b").at("/n").asInt()).isEqualTo(1);
    }

    @Test
    void a_batch_may_create_change_and_delete(Db db) {
        String changed = db.save("{_id: 'changed'}");
        String deleted = db.save("{_id: 'deleted'}");

        Reply reply = db.post("/_bulk_docs", """
                {docs: [{_id: 'made'}, {_id: 'changed', _rev: '%s'}, {_id: 'deleted', _rev: '%s', _deleted: true}]}""".formatted(changed, deleted));

        assertThat(reply.rows().stream().map(row -> row.path("rev").asText().substring(0, 2)))
                .containsExactly("1-", "2-", "2-");
        assertThat(db.read("deleted").errorKind()).isEqualTo("404 not_found");
    }

    @Test
    void a_document_without_an_id_is_given_one(Db db) {
        String id = db.post("/_bulk_docs", "{docs: [{n: 1}]}").text("/0/id");

        assertThat(db.read(id).at("/n").asInt()).isEqualTo(1);
    }

    @Test
    void the_first_of_two_documents_with_one_id_in_a_batch_is_stored(Db db) {
        Reply reply = db.post("/_bulk_docs", "{docs: [{_id: 'a', n: 1}, {_id: 'a', n: 2}]}")
                .expect(201);

        assertThat(reply.at("/0/ok").asBoolean()).isTrue();
        assertThat(reply.text("/1/error")).isEqualTo("conflict");
        assertThat(db.get("/a?conflicts=true").json())
                .isEqualTo(object("{_id: 'a', n: 1}").put("_rev", reply.text("/0/rev")));
    }

    @Test
    void an_empty_batch_is_fine(Db db) {
        assertThat(db.post("/_bulk_docs", "{docs: []}").expect(201).json()).isEqualTo(json("[]"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(quoteCharacter = '^', delimiter = '|', textBlock = """
            {}                                | 400 bad_request: POST body must include `docs` parameter.
            {docs: 1}                         | 400 bad_request: `docs` parameter must be an array.
            {docs: [{_id: 'a'}, 1]}           | 400 bad_request: Document must be a JSON object
            {docs: [{_id: 'a'}, {_id: 7}]}    | 400 illegal_docid: Document id must be a string
            {docs: [{_id: 'a'}, {_rev: 'x'}]} | 400 bad_request: Invalid rev format
            {docs: [{_id: 'a'}, {_x: 1}]}     | 400 doc_validation: Bad special document member: _x""")
    void a_malformed_batch_is_refused_as_a_whole(String batch, String error, Db db) {
        assertThat(db.post("/_bulk_docs", batch).error()).isEqualTo(error);
        assertThat(db.read("a").error()).isEqualTo("404 not_found: missing");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(quoteCharacter = '^', delimiter = '|', textBlock = """
            {docs: [{_id: 'a'}, {_id: 'big'}]}                                            | big
            {docs: [{_id: 'a', _rev: '7-none'}, {_id: 'big', _rev: '1-none'}]}            | big
            {docs: [{_id: 'a'}, {_id: '_local/big'}]}                                     | _local/big
            {docs: [{_id: 'a'}, {}]}                                                      | ^^
            {new_edits: false, docs: [{_id: 'a', _rev: '1-a'}, {_id: 'b', _rev: '1-a'}]}  | b""")
    void a_document_that_is_too_large_is_named_and_none_of_its_batch_is_stored(String batch, String id, Db db) {
        ObjectNode documents = object(batch);
        ((ObjectNode) documents.at("/docs/1")).put("text", "x".repeat(8_000_000));

        assertThat(db.post("/_bulk_docs", documents).error()).isEqualTo("413 document_too_large: " + id);
        assertThat(db.read("a").error()).isEqualTo("404 not_found: missing");
    }

    @Test
    void escapes_do_not_count_for_the_size_of_a_document(Db db) {
        assertThat(db.put("/a", object().put("text", "\n".repeat(7_000_000))).status())
                .isEqualTo(201);
        assertThat(db.put("/b", object().put("text", "é".repeat(4_000_000))).status())
                .isEqualTo(413);
    }

    @Test
    void attachments_do_not_count_for_the_size_of_a_document(Db db) {
        ObjectNode batch = object("{docs: [{_id: 'a'}, {_id: 'b', _attachments: {file: {}}}]}");
        ((ObjectNode) batch.at("/docs/1/_attachments/file")).put("data", "AAAA".repeat(2_100_000));
        ((ObjectNode) batch.at("/docs/0")).put("text", "x".repeat(8_000_000 - "{\"text\":\"\"}".length()));

        assertThat(db.post("/_bulk_docs", batch).expect(201).rows()).allMatch(row -> row.has("ok"));
    }

    @Test
    void a_batch_that_is_not_json_is_refused(Db db) {
        byte[] cut = "{\"docs\":[{\"_id\":\"a\"}".getBytes(StandardCharsets.UTF_8);

        assertThat(db.sendRaw("POST", "/_bulk_docs", cut, "Content-Type", "application/json")
                        .error())
                .isEqualTo("400 bad_request: invalid UTF-8 JSON");
    }

    @Test
    void a_replicated_batch_answers_only_what_went_wrong(Db db) {
        assertThat(db.post("/_bulk_docs", "{new_edits: false, docs: [{_id: 'a', _rev: '1-aaaa'}]}")
                        .expect(201)
                        .json())
                .isEqualTo(json("[]"));
        assertThat(db.post("/_bulk_docs", "{new_edits: false, docs: [{_id: 'a'}]}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void a_thousand_documents_go_in_one_batch(Db db) {
        ObjectNode batch = object();
        for (int n = 0; n < 1000; n++) {
            batch.withArray("docs").addObject().put("_id", "d" + n).put("text", "x".repeat(200));
        }

        Reply reply = db.post("/_bulk_docs", batch).expect(201);

        assertThat(reply.rows()).hasSize(1000).allMatch(row -> row.path("ok").asBoolean());
        assertThat(db.get("").at("/doc_count").asInt()).isEqualTo(1000);
    }

    @Test
    void two_claims_of_the_same_batch_never_share_a_document(Db db) {
        db.fill(1, 40);
        Reply jobs = db.allDocs();

        var first = db.couch().later(() -> claim(db, jobs, "t1"));
        var second = db.couch().later(() -> claim(db, jobs, "t2"));

        List<String> won = new ArrayList<>(first.join());
        won.addAll(second.join());
        assertThat(won).hasSize(40).doesNotHaveDuplicates();
        db.allDocs("include_docs", "true", "conflicts", "true")
                .rows()
                .forEach(row -> assertThat(row.path("doc").has("_conflicts")).isFalse());
    }

    private static Set<String> claim(Db db, Reply jobs, String token) {
        ObjectNode batch = object();
        for (JsonNode row : jobs.rows()) {
            batch.withArray("docs")
                    .addObject()
                    .put("_id", row.path("id").asText())
                    .put("_rev", row.at("/value/rev").asText())
                    .put("token", token);
        }
        Set<String> won = new HashSet<>();
        db.post("/_bulk_docs", batch).expect(201).rows().stream()
                .filter(row -> row.path("ok").asBoolean())
                .forEach(row -> won.add(row.path("id").asText()));
        return won;
    }
}
