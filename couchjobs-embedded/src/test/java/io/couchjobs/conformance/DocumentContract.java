package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One document: written, read, changed at its revision, deleted, made again. */
abstract class DocumentContract {
    private static final String CONFLICT = "409 conflict";
    private static final String NEVER = "{_rev: '1-00000000000000000000000000000000'}";

    @Test
    void a_new_document_gets_revision_1(Db db) {
        Reply reply = db.put("/a", "{n: 1}").expect(201);

        assertThat(reply.at("/ok").asBoolean()).isTrue();
        assertThat(reply.text("/id")).isEqualTo("a");
        assertThat(reply.rev()).matches("1-[0-9a-f]{32}");
        assertThat(reply.header("ETag")).isEqualTo('"' + reply.rev() + '"');
    }

    @Test
    void a_document_comes_back_as_it_was_written(Db db) {
        ObjectNode doc = object("""
                {_id: 'a', nothing: null, yes: true, no: false, empty: {}, list: [1, [2, {x: []}]], text: 'ä\\n漢🎉\\u0000',
                 millis: 1795244400123, big: 9007199254740991, negative: -5, fraction: 0.5}""");
        String rev = db.put("/a", doc).expect(201).rev();

        assertThat(db.read("a").json()).isEqualTo(doc.deepCopy().put("_rev", rev));
    }

    @Test
    void a_post_invents_an_id_or_takes_the_given_one(Db db) {
        Reply invented = db.post("", "{n: 1}").expect(201);
        Reply given = db.post("", "{_id: 'mine'}").expect(201);

        assertThat(db.read(invented.text("/id")).at("/n").asInt()).isEqualTo(1);
        assertThat(given.text("/id")).isEqualTo("mine");
        assertThat(db.post("", "{_id: 'mine'}").errorKind()).isEqualTo(CONFLICT);
    }

    @Test
    void a_write_without_the_revision_is_a_conflict(Db db) {
        db.save("{_id: 'a', n: 1}");

        assertThat(db.put("/a", "{n: 2}").errorKind()).isEqualTo(CONFLICT);
        assertThat(db.read("a").at("/n").asInt()).isEqualTo(1);
    }

    @Test
    void a_write_with_an_old_revision_is_a_conflict(Db db) {
        String first = db.save("{_id: 'a', n: 1}");
        db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));

        assertThat(db.put("/a", "{n: 3, _rev: '%s'}".formatted(first)).errorKind())
                .isEqualTo(CONFLICT);
        assertThat(db.read("a").at("/n").asInt()).isEqualTo(2);
    }

    @Test
    void a_write_with_the_revision_of_a_document_that_never_was_is_a_conflict_in_a_new_database(Db db) {
        assertThat(db.put("/a", NEVER).errorKind()).isEqualTo(CONFLICT);
    }

    /** Such as a late write to a document that was purged. It needs many documents: each shard must have one. */
    @Test
    void a_write_with_the_revision_of_a_document_that_never_was_is_stored_in_a_database_in_use(Db db) {
        fill(db);

        assertThat(db.put("/a", NEVER).rev()).startsWith("2-");
        assertThat(db.get("/a?revs=true").at("/_revisions/ids/1").asText()).isEqualTo("0".repeat(32));
        assertThat(db.put("/a", "{n: 2}").errorKind()).isEqualTo(CONFLICT);
    }

    @Test
    void a_deletion_of_a_revision_that_never_was_leaves_a_tombstone_in_a_database_in_use(Db db) {
        fill(db);

        assertThat(db.put("/a", "{_rev: '1-%s', _deleted: true}".formatted("0".repeat(32)))
                        .rev())
                .startsWith("2-");
        db.get("/a").expect(404);
    }

    @Test
    void a_write_with_the_revision_of_a_document_that_never_was_is_a_conflict_where_documents_are_validated(Db db) {
        fill(db);
        db.save("{_id: '_design/guard', validate_doc_update: 'function () {}'}");
        AtomicInteger documents = new AtomicInteger();

        // A shard of CouchDB may go by the former rules for a moment.
        Eventually.holds(() ->
                db.put("/a" + documents.incrementAndGet(), NEVER).errorKind().equals(CONFLICT));
    }

    @Test
    void a_write_with_the_revision_of_a_document_that_never_was_is_a_conflict_when_it_has_an_attachment(Db db) {
        fill(db);
        String attached = "{_rev: '1-%s', _attachments: {f: {content_type: 'text/plain', data: 'eA=='}}}";

        assertThat(db.put("/a", attached.formatted("0".repeat(32))).errorKind()).isEqualTo(CONFLICT);
    }

    private static void fill(Db db) {
        for (int i = 0; i < 40; i++) {
            db.save("{_id: 'other-%d'}".formatted(i));
        }
    }

    @Test
    void the_revision_may_be_given_in_the_body_the_query_or_a_header(Db db) {
        String first = db.save("{_id: 'a'}");
        String second = db.put("/a", "{n: 2, _rev: '%s'}".formatted(first)).rev();
        String third = db.put("/a?rev=" + second, json("{n: 3}")).rev();
        String fourth =
                db.put("/a", json("{n: 4}"), "If-Match", '"' + third + '"').rev();

        assertThat(second).startsWith("2-");
        assertThat(third).startsWith("3-");
        assertThat(fourth).startsWith("4-");
    }

    @Test
    void two_different_revisions_in_one_write_are_refused(Db db) {
        String rev = db.save("{_id: 'a'}");

        assertThat(db.put("/a?rev=" + rev, "{_rev: '1-00000000000000000000000000000000'}")
                        .error())
                .isEqualTo("400 bad_request: Document rev from request body and query string have different values");
    }

    @Test
    void a_document_that_never_was_is_missing(Db db) {
        assertThat(db.read("a").error()).isEqualTo("404 not_found: missing");
        assertThat(db.send("HEAD", "/a").status()).isEqualTo(404);
    }

    @Test
    void a_deleted_document_is_deleted_and_not_missing(Db db) {
        String tombstone = db.remove("a", db.save("{_id: 'a'}"));

        assertThat(tombstone).startsWith("2-");
        assertThat(db.read("a").error()).isEqualTo("404 not_found: deleted");
    }

    @Test
    void a_delete_needs_the_current_revision(Db db) {
        String first = db.save("{_id: 'a'}");
        db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));

        assertThat(db.delete("/a").errorKind()).isEqualTo(CONFLICT);
        assertThat(db.delete("/a?rev=" + first).errorKind()).isEqualTo(CONFLICT);
        assertThat(db.delete("/never?rev=" + first).errorKind()).isEqualTo("404 not_found");
    }

    @Test
    void a_tombstone_can_be_read_at_its_revision(Db db) {
        String tombstone = db.remove("a", db.save("{_id: 'a', n: 1}"));

        assertThat(db.get("/a?rev=" + tombstone).json())
                .isEqualTo(object("{_id: 'a', _deleted: true}").put("_rev", tombstone));
    }

    @Test
    void a_tombstone_may_carry_fields(Db db) {
        String rev = db.save("{_id: 'a', n: 1}");
        Reply reply = db.put("/a", "{_rev: '%s', _deleted: true, why: 'done'}".formatted(rev));
        String tombstone = reply.expect(200, 201).rev();

        assertThat(db.read("a").errorKind()).isEqualTo("404 not_found");
        assertThat(db.get("/a?rev=" + tombstone).text("/why")).isEqualTo("done");
    }

    @Test
    void a_put_that_deletes_is_answered_as_a_deletion_and_a_post_as_a_write(Db db) {
        String put = db.save("{_id: 'put'}");
        String posted = db.save("{_id: 'posted'}");

        db.put("/put", "{_rev: '%s', _deleted: true}".formatted(put)).expect(200);
        db.put("/_local/put", "{_deleted: true}").expect(200);
        db.post("", "{_id: 'posted', _rev: '%s', _deleted: true}".formatted(posted))
                .expect(201);
    }

    @Test
    void a_deleted_document_is_made_again_on_top_of_its_tombstone(Db db) {
        db.remove("a", db.save("{_id: 'a', n: 1}"));

        assertThat(db.put("/a", "{n: 2}").expect(201).rev()).startsWith("3-");
        assertThat(db.read("a").at("/n").asInt()).isEqualTo(2);
    }

    @Test
    void the_revision_of_a_tombstone_does_not_make_a_document_again(Db db) {
        String tombstone = db.remove("a", db.save("{_id: 'a', n: 1}"));

        assertThat(db.put("/a", "{n: 2, _rev: '%s'}".formatted(tombstone)).errorKind())
                .isEqualTo(CONFLICT);
        assertThat(db.delete("/a?rev=" + tombstone).errorKind()).isEqualTo("404 not_found");
    }

    @Test
    void a_revision_from_before_a_document_was_made_again_cannot_be_used_to_write_it(Db db) {
        String held = db.save("{_id: 'a', n: 1}");
        db.remove("a", held);
        db.save("{_id: 'a', n: 2}");

        assertThat(db.put("/a", "{n: 3, _rev: '%s'}".formatted(held)).errorKind())
                .isEqualTo(CONFLICT);
    }

    @Test
    void the_etag_is_the_revision_and_saves_the_body(Db db) {
        String rev = db.save("{_id: 'a'}");
        String etag = '"' + rev + '"';

        assertThat(db.read("a").header("ETag")).isEqualTo(etag);
        assertThat(db.send("HEAD", "/a").header("ETag")).isEqualTo(etag);
        assertThat(db.get("/a", "If-None-Match", etag).status()).isEqualTo(304);
    }

    @Test
    void a_delete_may_name_the_revision_in_a_header(Db db) {
        String rev = db.save("{_id: 'a'}");

        assertThat(db.delete("/a", "If-Match", rev).expect(200).at("/ok").asBoolean())
                .isTrue();
    }
}
