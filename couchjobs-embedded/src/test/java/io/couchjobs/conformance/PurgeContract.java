package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Purging: a document is forgotten, tombstones and all, when every leaf is named. */
abstract class PurgeContract {

    @Test
    void a_purged_document_was_never_there(Db db) {
        String rev = db.save("{_id: 'a'}");

        Reply reply = purge(db, "a", rev).expect(201);

        assertThat(reply.at("/purged")).isEqualTo(json("{a: ['%s']}".formatted(rev)));
        assertThat(db.read("a").error()).isEqualTo("404 not_found: missing");
        assertThat(db.changes().rows()).isEmpty();
        assertThat(db.get("").at("/doc_count").asInt(-1)).isZero();
    }

    @Test
    void a_tombstone_can_be_purged(Db db) {
        String tombstone = db.remove("a", db.save("{_id: 'a'}"));

        purge(db, "a", tombstone).expect(201);

        assertThat(db.read("a").error()).isEqualTo("404 not_found: missing");
        assertThat(db.get("").at("/doc_del_count").asInt(-1)).isZero();
        assertThat(db.save("{_id: 'a'}")).startsWith("1-");
    }

    @Test
    void a_document_stays_until_its_last_leaf_is_named(Db db) {
        db.graft("a", "{n: 1}", "aaaa");
        db.graft("a", "{n: 2}", "bbbb");

        purge(db, "a", "1-bbbb").expect(201);
        assertThat(db.get("/a?conflicts=true").json()).isEqualTo(json("{_id: 'a', _rev: '1-aaaa', n: 1}"));

        purge(db, "a", "1-aaaa").expect(201);
        assertThat(db.read("a").error()).isEqualTo("404 not_found: missing");
    }

    @Test
    void a_revision_that_is_no_leaf_is_not_purged(Db db) {
        String first = db.save("{_id: 'a'}");
        db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));

        assertThat(purge(db, "a", first).expect(201).at("/purged/a")).isEmpty();
        assertThat(db.read("a").at("/n").asInt()).isEqualTo(2);
    }

    @Test
    void a_purged_document_leaves_the_views(Db db) {
        db.view("function (doc) { emit(doc._id, null); }");
        db.save("{_id: 'b'}");
        String rev = db.save("{_id: 'a'}");
        assertThat(db.query().ids()).containsExactly("a", "b");

        purge(db, "a", rev).expect(201);

        assertThat(db.query().ids()).containsExactly("b");
    }

    @Test
    void several_documents_are_purged_at_once(Db db) {
        String a = db.save("{_id: 'a'}");
        String b = db.save("{_id: 'b'}");

        Reply reply = db.post("/_purge", "{a: ['%s'], b: ['%s'], c: ['1-cccc']}".formatted(a, b))
                .expect(201);

        assertThat(reply.at("/purged")).isEqualTo(json("{a: ['%s'], b: ['%s'], c: []}".formatted(a, b)));
        assertThat(db.allDocs().rows()).isEmpty();
    }

    @Test
    void a_compacted_database_has_lost_old_revisions_and_nothing_else(Db db) {
        String first = db.save("{_id: 'a', n: 1}");
        String second = db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));
        String tombstone = db.remove("b", db.save("{_id: 'b'}"));

        db.post("/_compact", object()).expect(202);
        Eventually.holds(() -> db.get("/a?rev=" + first).status() == 404);

        assertThat(db.read("a").text("/_rev")).isEqualTo(second);
        assertThat(db.get("/b?rev=" + tombstone).at("/_deleted").asBoolean()).isTrue();
        assertThat(db.put("/a", "{_rev: '%s'}".formatted(first)).errorKind()).isEqualTo("409 conflict");
    }

    private static Reply purge(Db db, String id, String rev) {
        return db.post("/_purge", "{'%s': ['%s']}".formatted(id, rev));
    }
}
