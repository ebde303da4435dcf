package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two leaves of one document, as replication and clusters make them: who wins, and how the losers go. */
abstract class ConflictContract {

    @Test
    void a_replicated_revision_is_stored_as_it_is_and_only_once(Db db) {
        db.graft("a", "{n: 1}", "aaaa");
        db.graft("a", "{n: 1}", "aaaa");

        assertThat(db.get("/a?conflicts=true").json()).isEqualTo(json("{_id: 'a', _rev: '1-aaaa', n: 1}"));
    }

    @Test
    void a_replicated_revision_may_come_alone(Db db) {
        assertThat(db.put("/a?new_edits=false", "{_rev: '7-abcd', n: 1}")
                        .expect(201)
                        .rev())
                .isEqualTo("7-abcd");
        assertThat(db.read("a").text("/_rev")).isEqualTo("7-abcd");
    }

    @Test
    void a_revision_that_comes_again_brings_the_ancestors_that_were_not_known(Db db) {
        graftEndOfHistory(db);

        db.graft("a", "{n: 3}", "cccc", "bbbb", "aaaa");

        assertThat(db.get("/a?revs=true").at("/_revisions"))
                .isEqualTo(json("{start: 3, ids: ['cccc', 'bbbb', 'aaaa']}"));
    }

    @Test
    void an_ancestor_that_was_taken_for_another_leaf_is_none_when_the_revision_comes_again_with_its_history(Db db) {
        graftEndOfHistory(db);
        db.graft("a", "{n: 1}", "aaaa");
        assertThat(db.get("/a?conflicts=true").at("/_conflicts")).isEqualTo(json("['1-aaaa']"));

        db.graft("a", "{n: 3}", "cccc", "bbbb", "aaaa");

        assertThat(db.get("/a?conflicts=true").json()).isEqualTo(json("{_id: 'a', _rev: '3-cccc', n: 3}"));
    }

    @Test
    void with_a_validation_function_a_revision_that_comes_again_brings_nothing(Db db) {
        graftEndOfHistory(db);
        db.validate("function () {}");
        db.save("{_id: 'loads the function'}");

        db.graft("a", "{n: 3}", "cccc", "bbbb", "aaaa");

        assertThat(db.get("/a?revs=true").at("/_revisions")).isEqualTo(json("{start: 3, ids: ['cccc', 'bbbb']}"));
    }

    private static void graftEndOfHistory(Db db) {
        db.post(
                        "/_bulk_docs",
                        "{new_edits: false, docs: [{_id: 'a', _rev: '3-cccc', n: 3, _revisions: {start: 3, ids: ['cccc', 'bbbb']}}]}")
                .expect(201, 202);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"aaaa bbbb cccc", "cccc bbbb aaaa", "bbbb cccc aaaa", "bbbb aaaa cccc"})
    void the_greatest_hash_wins_among_leaves_of_one_length_in_whatever_order_they_come(String order, Db db) {
        for (String hash : order.split(" ", -1)) {
            db.graft("a", "{}", hash, "ffff");
        }

        assertThat(db.read("a").text("/_rev")).isEqualTo("2-cccc");
        assertThat(db.get("/a?conflicts=true").at("/_conflicts"))
                .extracting(JsonNode::asText)
                .containsExactlyInAnyOrder("2-bbbb", "2-aaaa");
    }

    @Test
    void a_longer_branch_wins_over_a_greater_hash(Db db) {
        db.graft("a", "{}", "ffff");
        db.graft("a", "{}", "0001", "0000");

        assertThat(db.read("a").text("/_rev")).isEqualTo("2-0001");
    }

    @Test
    void the_length_of_a_branch_is_a_number_and_not_a_text(Db db) {
        db.put("/a?new_edits=false", "{_rev: '9-ffff'}").expect(201);
        db.put("/a?new_edits=false", "{_rev: '10-0000'}").expect(201);

        assertThat(db.read("a").text("/_rev")).isEqualTo("10-0000");
    }

    @Test
    void a_living_leaf_wins_over_a_longer_dead_one(Db db) {
        db.graft("a", "{}", "aaaa");
        db.graft("a", "{_deleted: true}", "eeee", "dddd", "cccc");

        assertThat(db.get("/a?conflicts=true").json()).isEqualTo(json("{_id: 'a', _rev: '1-aaaa'}"));
        assertThat(db.get("/a?deleted_conflicts=true").at("/_deleted_conflicts"))
                .isEqualTo(json("['3-eeee']"));
    }

    @Test
    void a_deleted_loser_leaves_the_winner_alone(Db db) {
        twoLeaves(db);

        db.remove("a", "1-aaaa");

        assertThat(db.get("/a?conflicts=true").json()).isEqualTo(json("{_id: 'a', _rev: '1-bbbb', n: 2}"));
    }

    @Test
    void a_deleted_winner_lets_the_loser_rise(Db db) {
        twoLeaves(db);

        db.remove("a", "1-bbbb");

        assertThat(db.get("/a?conflicts=true").json()).isEqualTo(json("{_id: 'a', _rev: '1-aaaa', n: 1}"));
    }

    @Test
    void a_document_is_deleted_when_its_last_leaf_is(Db db) {
        twoLeaves(db);
        db.remove("a", "1-bbbb");
        db.remove("a", "1-aaaa");

        assertThat(db.read("a").errorKind()).isEqualTo("404 not_found");
        assertThat(db.get("").at("/doc_count").asInt()).isZero();
    }

    @Test
    void a_losing_leaf_can_be_written_and_so_win(Db db) {
        twoLeaves(db);

        String rev = db.put("/a", "{_rev: '1-aaaa', n: 3}").expect(201).rev();

        assertThat(db.read("a").text("/_rev")).isEqualTo(rev).startsWith("2-");
        assertThat(db.get("/a?conflicts=true").at("/_conflicts")).isEqualTo(json("['1-bbbb']"));
    }

    @Test
    void a_write_without_a_revision_does_not_resolve_a_conflict(Db db) {
        twoLeaves(db);

        assertThat(db.put("/a", "{n: 3}").errorKind()).isEqualTo("409 conflict");
    }

    @Test
    void a_revision_with_a_successor_cannot_be_written_in_a_conflict_either(Db db) {
        db.graft("a", "{}", "bbbb", "ffff");
        db.graft("a", "{}", "aaaa", "ffff");

        assertThat(db.put("/a", "{_rev: '1-ffff'}").errorKind()).isEqualTo("409 conflict");
    }

    @Test
    void losers_are_resolved_in_one_batch(Db db) {
        twoLeaves(db);
        db.graft("a", "{n: 3}", "cccc");

        Reply reply = db.post("/_bulk_docs", """
                {docs: [{_id: 'a', _rev: '1-aaaa', _deleted: true}, {_id: 'a', _rev: '1-bbbb', _deleted: true}]}""");

        assertThat(reply.rows()).allMatch(row -> row.path("ok").asBoolean());
        assertThat(db.get("/a?conflicts=true").json()).isEqualTo(json("{_id: 'a', _rev: '1-cccc', n: 3}"));
    }

    @Test
    void a_view_can_find_the_documents_in_conflict(Db db) {
        db.view("function (doc) { if (doc._conflicts) emit(doc._conflicts, doc._rev); }");
        twoLeaves(db);
        db.save("{_id: 'b'}");

        assertThat(db.query().keys()).isEqualTo(json("[['1-aaaa']]"));
        assertThat(db.query().values()).isEqualTo(json("['1-bbbb']"));

        db.remove("a", "1-aaaa");
        assertThat(db.query().rows()).isEmpty();
    }

    @Test
    void a_loser_that_comes_after_the_index_was_built_is_seen_by_it(Db db) {
        db.view("function (doc) { if (doc._conflicts) emit(doc._conflicts, doc._rev); }");
        db.graft("a", "{}", "bbbb");
        assertThat(db.query().rows()).isEmpty();

        db.graft("a", "{}", "aaaa");

        assertThat(db.query().keys()).isEqualTo(json("[['1-aaaa']]"));
    }

    @Test
    void conflicts_are_told_with_the_documents_of_a_list(Db db) {
        twoLeaves(db);

        assertThat(db.allDocs("include_docs", "true", "conflicts", "true").at("/rows/0/doc/_conflicts"))
                .isEqualTo(json("['1-aaaa']"));
    }

    @Test
    void the_feed_tells_the_winner_or_all_leaves(Db db) {
        twoLeaves(db);

        assertThat(revs(db.changes())).containsExactly("1-bbbb");
        assertThat(revs(db.changes("style", "all_docs"))).containsExactly("1-bbbb", "1-aaaa");
    }

    private static List<String> revs(Reply changes) {
        return changes.rows().get(0).path("changes").findValuesAsText("rev");
    }

    private static void twoLeaves(Db db) {
        db.graft("a", "{n: 1}", "aaaa");
        db.graft("a", "{n: 2}", "bbbb");
    }
}
