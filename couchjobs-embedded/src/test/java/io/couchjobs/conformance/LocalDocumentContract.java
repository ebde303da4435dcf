package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** {@code _local} documents: notes of one database that are neither listed, indexed, told nor replicated. */
abstract class LocalDocumentContract {

    @Test
    void a_local_document_is_kept_and_counted_by_its_revision(Db db) {
        assertThat(db.put("/_local/note", "{n: 1}").expect(201).json())
                .isEqualTo(json("{ok: true, id: '_local/note', rev: '0-1'}"));
        assertThat(db.get("/_local/note").json()).isEqualTo(json("{_id: '_local/note', _rev: '0-1', n: 1}"));

        assertThat(db.put("/_local/note", "{n: 2, _rev: '0-1'}").rev()).isEqualTo("0-2");
        assertThat(db.get("/_local/note").at("/n").asInt()).isEqualTo(2);
    }

    @Test
    void a_local_document_is_written_whatever_revision_is_named(Db db) {
        db.put("/_local/note", "{n: 1}").expect(201);

        assertThat(db.put("/_local/note", "{n: 2}").rev()).isEqualTo("0-1");
        assertThat(db.put("/_local/note", "{n: 3, _rev: '0-7'}").rev()).isEqualTo("0-8");
        assertThat(db.get("/_local/note").at("/n").asInt()).isEqualTo(3);
    }

    @Test
    void a_local_document_can_be_deleted(Db db) {
        db.put("/_local/note", "{}").expect(201);

        db.delete("/_local/note?rev=0-1").expect(200);

        assertThat(db.get("/_local/note").error()).isEqualTo("404 not_found: missing");
    }

    @Test
    void a_local_document_that_never_was_is_missing(Db db) {
        assertThat(db.get("/_local/none").error()).isEqualTo("404 not_found: missing");
        assertThat(db.delete("/_local/none?rev=0-1").error()).isEqualTo("404 not_found: missing");
    }

    @Test
    void a_local_document_is_in_no_list_feed_or_count(Db db) {
        db.put("/_local/note", "{}").expect(201);

        assertThat(db.allDocs().rows()).isEmpty();
        assertThat(db.changes().rows()).isEmpty();
        assertThat(db.get("").at("/doc_count").asInt()).isZero();
    }

    @Test
    void the_id_of_a_local_document_may_have_signs(Db db) {
        db.put("/_local/a%2Fb%20%2B", "{n: 1}").expect(201);

        assertThat(db.get("/_local/a%2Fb%20%2B").text("/_id")).isEqualTo("_local/a/b +");
    }

    @Test
    void local_documents_may_be_written_in_a_batch(Db db) {
        Reply reply = db.post("/_bulk_docs", "{docs: [{_id: '_local/note', n: 1}, {_id: 'a'}]}");

        assertThat(reply.rows()).allMatch(row -> row.path("ok").asBoolean());
        assertThat(db.get("/_local/note").at("/n").asInt()).isEqualTo(1);
    }

    @Test
    void local_documents_may_be_written_in_a_replicated_batch(Db db) {
        Reply reply = db.post(
                "/_bulk_docs",
                "{new_edits: false, docs: [{_id: '_local/note', _rev: '0-4', n: 1}, {_id: 'a', _rev: '1-a'}]}");

        assertThat(reply.expect(201).json()).isEqualTo(json("[]"));
        assertThat(db.get("/_local/note").json()).isEqualTo(json("{_id: '_local/note', _rev: '0-5', n: 1}"));
        assertThat(db.allDocs().ids()).containsExactly("a");
    }

    @Test
    void a_local_document_keeps_no_attachments(Db db) {
        db.put("/_local/note", "{n: 1, _attachments: {x: {data: 'AAAA'}}}").expect(201);

        assertThat(db.get("/_local/note").json()).isEqualTo(json("{_id: '_local/note', _rev: '0-1', n: 1}"));
        assertThat(db.get("/_local/note/x").error())
                .isEqualTo("400 bad_request: _local documents do not accept attachments.");
    }
}
