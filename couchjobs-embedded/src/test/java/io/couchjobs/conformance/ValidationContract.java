package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** {@code validate_doc_update}: the database itself refuses what must not be written. */
abstract class ValidationContract {
    private static final String NO_BAD = """
            function (newDoc, oldDoc, userCtx, secObj) {
              if (newDoc.bad) throw({forbidden: 'no bad ones'});
              if (newDoc.who) throw({unauthorized: 'who are you'});
            }""";
    private static final String TELL = """
            function (newDoc, oldDoc, userCtx, secObj) {
              throw({forbidden: JSON.stringify({now: newDoc, before: oldDoc, user: userCtx, security: secObj})});
            }""";

    /** CouchDB may take one more write before a rule that was just stored is in force. */
    private static void validateByTelling(Db db) {
        db.validate(TELL);
        Eventually.holds(() -> db.put("/probe", "{_deleted: true}").status() == 403);
    }

    @Test
    void a_write_that_is_forbidden_is_refused_with_the_given_reason(Db db) {
        db.validate(NO_BAD);

        assertThat(db.put("/a", "{bad: true}").error()).isEqualTo("403 forbidden: no bad ones");
        assertThat(db.put("/a", "{who: true}").error()).isEqualTo("401 unauthorized: who are you");
        assertThat(db.read("a").error()).isEqualTo("404 not_found: missing");
        assertThat(db.put("/a", "{good: true}").status()).isEqualTo(201);
    }

    @Test
    void a_batch_tells_each_refusal_in_its_row(Db db) {
        db.validate(NO_BAD);

        Reply reply = db.post("/_bulk_docs", "{docs: [{_id: 'a'}, {_id: 'b', bad: true}, {_id: 'c', who: true}]}")
                .expect(201);

        assertThat(reply.at("/0/ok").asBoolean()).isTrue();
        assertThat(reply.at("/1")).isEqualTo(json("{id: 'b', error: 'forbidden', reason: 'no bad ones'}"));
        assertThat(reply.at("/2")).isEqualTo(json("{id: 'c', error: 'unauthorized', reason: 'who are you'}"));
    }

    @Test
    void the_function_sees_the_new_document(Db db) {
        validateByTelling(db);

        JsonNode now = told(db.put("/a", "{n: 1}")).path("now");

        assertThat(now.path("_id").asText()).isEqualTo("a");
        assertThat(now.path("n").asInt()).isEqualTo(1);
    }

    @Test
    void the_function_sees_the_document_as_it_was(Db db) {
        String rev = db.save("{_id: 'a', n: 1}");
        validateByTelling(db);

        JsonNode before =
                told(db.put("/a", "{n: 2, _rev: '%s'}".formatted(rev))).path("before");

        assertThat(before.path("n").asInt()).isEqualTo(1);
        assertThat(before.path("_rev").asText()).isEqualTo(rev);
    }

    @Test
    void the_function_sees_a_write_as_it_was_sent_with_its_revisions(Db db) {
        String first = db.save("{_id: 'a', n: 1}");
        String second = db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));
        validateByTelling(db);

        JsonNode told = told(db.put("/a", "{n: 3, _rev: '%s'}".formatted(second)));

        String hash = second.substring(2);
        assertThat(told.path("now"))
                .isEqualTo(json(
                        "{_id: 'a', _rev: '%s', n: 3, _revisions: {start: 2, ids: ['%s']}}".formatted(second, hash)));
        assertThat(told.path("before"))
                .isEqualTo(json("{_id: 'a', _rev: '%s', n: 2, _revisions: {start: 2, ids: ['%s', '%s']}}"
                        .formatted(second, hash, first.substring(2))));
    }

    @Test
    void a_new_document_has_no_revision_yet(Db db) {
        db.remove("again", db.save("{_id: 'again', n: 1}"));
        validateByTelling(db);

        assertThat(told(db.put("/a", "{n: 1}")).path("now")).isEqualTo(json("{_id: 'a', n: 1}"));
        assertThat(told(db.put("/again", "{n: 1}")).path("now")).isEqualTo(json("{_id: 'again', n: 1}"));
    }

    @Test
    void a_replicated_write_is_shown_with_its_history_beside_its_nearest_ancestor(Db db) {
        db.graft("a", "{n: 2}", "bb", "aa");
        db.graft("a", "{n: 9}", "ff", "ee", "aa");
        validateByTelling(db);

        JsonNode told = told(db, "{_id: 'a', n: 4, _revisions: {start: 4, ids: ['dd', 'cc', 'bb']}}");

        assertThat(told.path("now"))
                .isEqualTo(json("{_id: 'a', _rev: '4-dd', n: 4, _revisions: {start: 4, ids: ['dd', 'cc', 'bb']}}"));
        assertThat(told.path("before"))
                .isEqualTo(json("{_id: 'a', _rev: '2-bb', n: 2, _revisions: {start: 2, ids: ['bb', 'aa']}}"));
        assertThat(told(db, "{_id: 'a', _revisions: {start: 1, ids: ['00']}}")
                        .path("before")
                        .isNull())
                .isTrue();
    }

    @Test
    void a_replicated_write_over_a_tombstone_is_shown_beside_it(Db db) {
        db.graft("a", "{_deleted: true}", "bb", "aa");
        validateByTelling(db);

        assertThat(told(db, "{_id: 'a', _revisions: {start: 3, ids: ['cc', 'bb']}}")
                        .path("before"))
                .isEqualTo(json("{_id: 'a', _rev: '2-bb', _deleted: true, _revisions: {start: 2, ids: ['bb', 'aa']}}"));
    }

    private static JsonNode told(Db db, String replicated) {
        Reply reply = db.post("/_bulk_docs", "{new_edits: false, docs: [%s]}".formatted(replicated));
        return json(reply.expect(201).text("/0/reason"));
    }

    @Test
    void a_new_document_was_nothing_before(Db db) {
        validateByTelling(db);

        assertThat(told(db.put("/a", "{}")).path("before").isNull()).isTrue();
    }

    @Test
    void a_document_made_again_was_nothing_before(Db db) {
        db.remove("a", db.save("{_id: 'a', n: 1}"));
        validateByTelling(db);

        assertThat(told(db.put("/a", "{}")).path("before").isNull()).isTrue();
    }

    @Test
    void a_deletion_is_asked_about_too(Db db) {
        String rev = db.save("{_id: 'a', n: 1}");
        validateByTelling(db);

        Reply reply = db.delete("/a?rev=" + rev);

        assertThat(told(reply).at("/now/_deleted").asBoolean()).isTrue();
        assertThat(told(reply).at("/before/n").asInt()).isEqualTo(1);
        assertThat(db.read("a").status()).isEqualTo(200);
    }

    @Test
    void the_function_sees_who_writes_and_who_may(Couch couch, Db db) {
        db.put("/_security", "{admins: {roles: ['boss']}, members: {roles: ['worker']}}")
                .expect(200);
        validateByTelling(db);

        JsonNode told = told(db.put("/a", "{}"));

        assertThat(told.at("/user/name").asText()).isEqualTo(couch.user());
        assertThat(told.at("/user/roles").toString()).contains("_admin");
        assertThat(told.at("/user/db").asText()).isEqualTo(db.name());
        assertThat(told.at("/security/members/roles")).isEqualTo(json("['worker']"));
    }

    @Test
    void a_replicated_write_is_asked_about_too(Db db) {
        db.validate(NO_BAD);

        Reply reply = db.post("/_bulk_docs", "{new_edits: false, docs: [{_id: 'a', _rev: '1-aaaa', bad: true}]}");

        assertThat(reply.text("/0/error")).isEqualTo("forbidden");
        assertThat(db.read("a").status()).isEqualTo(404);
    }

    @Test
    void a_local_document_is_nobodys_business(Db db) {
        db.validate(NO_BAD);

        assertThat(db.put("/_local/a", "{bad: true}").status()).isEqualTo(201);
    }

    @Test
    void all_functions_are_asked(Db db) {
        db.validate(NO_BAD);
        db.put(
                        "/_design/more",
                        object().put(
                                        "validate_doc_update",
                                        "function (d) { if (d.worse) throw({forbidden: 'nor worse'}); }"))
                .expect(201);

        assertThat(db.put("/a", "{bad: true}").error()).isEqualTo("403 forbidden: no bad ones");
        assertThat(db.put("/a", "{worse: true}").error()).isEqualTo("403 forbidden: nor worse");
    }

    @Test
    void a_rule_ends_with_its_design_document(Db db) {
        String rev = db.validate(NO_BAD);
        assertThat(db.put("/a", "{bad: true}").status()).isEqualTo(403);

        db.delete("/_design/rules?rev=" + rev).expect(200);

        Eventually.holds(() -> takesBad(db));
    }

    @Test
    void a_rule_changes_with_its_design_document(Db db) {
        String rev = db.validate(NO_BAD);
        assertThat(db.put("/a", "{bad: true}").status()).isEqualTo(403);

        db.put(
                        "/_design/rules",
                        object("{validate_doc_update: 'function () {}'}").put("_rev", rev))
                .expect(201);

        Eventually.holds(() -> takesBad(db));
    }

    /** A shard of CouchDB may go by the former rules for a moment. */
    private static boolean takesBad(Db db) {
        return db.put("/a", "{bad: true}").status() == 201;
    }

    @Test
    void a_rule_that_breaks_lets_nothing_through(Db db) {
        db.validate("function (doc) { doc.a.b.c(); }");

        assertThat(db.put("/a", "{}").status()).isEqualTo(500);
        assertThat(db.read("a").status()).isEqualTo(404);
    }

    /** A conflict is found before the rule is asked, so that losing a race never looks like a refusal. */
    @Test
    void a_conflict_comes_before_the_rule(Db db) {
        db.save("{_id: 'a'}");
        db.validate(NO_BAD);

        assertThat(db.put("/a", "{bad: true}").errorKind()).isEqualTo("409 conflict");
    }

    private static JsonNode told(Reply refusal) {
        return json(refusal.expect(403).text("/reason"));
    }
}
