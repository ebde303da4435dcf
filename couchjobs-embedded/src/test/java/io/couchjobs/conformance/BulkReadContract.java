package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** {@code _bulk_get}: many documents, or named revisions of them, in one request. */
abstract class BulkReadContract {

    @Test
    void documents_come_in_the_order_asked_for(Db db) {
        db.fill(1, 3);

        Reply reply =
                db.post("/_bulk_get", "{docs: [{id: 'n03'}, {id: 'n01'}]}").expect(200);

        assertThat(reply.ids()).containsExactly("n03", "n01");
        assertThat(reply.at("/results/0/docs/0/ok/n").asInt()).isEqualTo(3);
    }

    @Test
    void a_document_that_is_not_there_is_an_error_in_its_own_row(Db db) {
        db.fill(1, 1);

        Reply reply = db.post("/_bulk_get", "{docs: [{id: 'none'}, {id: 'n01'}]}");

        assertThat(reply.text("/results/0/docs/0/error/error")).isEqualTo("not_found");
        assertThat(reply.text("/results/0/docs/0/error/reason")).isEqualTo("missing");
        assertThat(reply.at("/results/1/docs/0/ok/n").asInt()).isEqualTo(1);
    }

    @Test
    void a_named_revision_is_given_even_if_it_lost(Db db) {
        db.graft("a", "{n: 1}", "aaaa");
        db.graft("a", "{n: 2}", "bbbb");

        Reply reply = db.post("/_bulk_get", "{docs: [{id: 'a', rev: '1-aaaa'}, {id: 'a', rev: '9-ffff'}]}");

        assertThat(reply.at("/results/0/docs/0/ok")).isEqualTo(json("{_id: 'a', _rev: '1-aaaa', n: 1}"));
        assertThat(reply.at("/results/1/docs/0/error/rev")).isEqualTo(json("'9-ffff'"));
    }

    @Test
    void the_latest_of_a_named_revision_is_every_leaf_that_grew_from_it(Db db) {
        db.graft("a", "{n: 1}", "aaaa", "ffff");
        db.graft("a", "{n: 2}", "bbbb", "ffff");

        Reply reply = db.post("/_bulk_get?latest=true", "{docs: [{id: 'a', rev: '1-ffff'}]}");

        assertThat(reply.at("/results/0/docs").findValuesAsText("_rev")).containsExactly("2-aaaa", "2-bbbb");
    }

    @Test
    void the_history_can_be_asked_for(Db db) {
        db.graft("a", "{}", "bbbb", "aaaa");

        Reply reply = db.post("/_bulk_get?revs=true", "{docs: [{id: 'a'}]}");

        assertThat(reply.at("/results/0/docs/0/ok/_revisions")).isEqualTo(json("{start: 2, ids: ['bbbb', 'aaaa']}"));
    }

    @Test
    void a_tombstone_is_given_at_its_revision(Db db) {
        String tombstone = db.remove("a", db.save("{_id: 'a'}"));

        Reply reply = db.post("/_bulk_get", "{docs: [{id: 'a', rev: '%s'}]}".formatted(tombstone));

        assertThat(reply.at("/results/0/docs/0/ok"))
                .isEqualTo(object("{_id: 'a', _deleted: true}").put("_rev", tombstone));
    }

    @Test
    void a_request_without_documents_is_refused(Db db) {
        assertThat(db.post("/_bulk_get", "{}").error()).isEqualTo("400 bad_request: Missing JSON list of 'docs'.");
    }
}
