package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a revision is made of, and how the history of a document can be asked for. */
abstract class RevisionContract {
    private static final String NEVER = "1-00000000000000000000000000000000";

    @Test
    void the_same_body_on_the_same_parent_gets_the_same_revision(Db here, Db there) {
        String first = here.save("{_id: 'a', n: 1}");
        assertThat(there.save("{_id: 'a', n: 1}")).isEqualTo(first);

        String second = here.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));
        assertThat(there.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first))).isEqualTo(second);

        assertThat(there.remove("a", second)).isEqualTo(here.remove("a", second));
    }

    @Test
    void another_body_gets_another_revision(Db here, Db there) {
        String first = here.save("{_id: 'a', n: 1}");

        assertThat(there.save("{_id: 'a', n: 2}")).isNotEqualTo(first);
    }

    @Test
    void the_same_body_on_another_parent_gets_another_revision(Db here, Db there) {
        String one = here.save("{_id: 'a', n: 1}");
        String two = there.save("{_id: 'a', n: 2}");

        assertThat(here.save("{_id: 'a', same: true, _rev: '%s'}".formatted(one)))
                .isNotEqualTo(there.save("{_id: 'a', same: true, _rev: '%s'}".formatted(two)));
    }

    @Test
    void a_fresh_token_makes_the_revision_of_a_claim_its_own(Db here, Db there) {
        String first = here.save("{_id: 'a'}");
        there.save("{_id: 'a'}");

        assertThat(here.save("{_id: 'a', token: 't1', _rev: '%s'}".formatted(first)))
                .isNotEqualTo(there.save("{_id: 'a', token: 't2', _rev: '%s'}".formatted(first)));
    }

    @Test
    void the_second_of_two_equal_writes_is_a_conflict_all_the_same(Db db) {
        String first = db.save("{_id: 'a'}");
        db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));

        assertThat(db.put("/a", "{n: 2, _rev: '%s'}".formatted(first)).errorKind())
                .isEqualTo("409 conflict");
    }

    @Test
    void the_history_of_a_document_is_told_newest_first(Db db) {
        String first = db.save("{_id: 'a'}");
        String second = db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));

        JsonNode revisions = db.get("/a?revs=true").at("/_revisions");

        assertThat(revisions.path("start").asInt()).isEqualTo(2);
        assertThat(revisions.path("ids"))
                .isEqualTo(json("['%s', '%s']".formatted(second.substring(2), first.substring(2))));
    }

    @Test
    void the_state_of_each_revision_can_be_asked_for(Db db) {
        String first = db.save("{_id: 'a'}");
        String second = db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));

        assertThat(db.get("/a?revs_info=true").at("/_revs_info"))
                .isEqualTo(json("[{rev: '%s', status: 'available'}, {rev: '%s', status: 'available'}]"
                        .formatted(second, first)));
    }

    @Test
    void an_old_revision_can_be_read_until_compaction(Db db) {
        String first = db.save("{_id: 'a', n: 1}");
        db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));

        assertThat(db.get("/a?rev=" + first).at("/n").asInt()).isEqualTo(1);
    }

    @Test
    void all_leaves_can_be_asked_for_at_once(Db db) {
        db.graft("a", "{n: 1}", "aaaa", "ffff");
        db.graft("a", "{n: 2}", "bbbb", "ffff");
        db.graft("a", "{_deleted: true}", "cccc", "ffff");

        Reply reply = db.get("/a?open_revs=all", "Accept", "application/json").expect(200);

        assertThat(reply.rows())
                .extracting(row -> row.at("/ok/_rev").asText())
                .containsExactlyInAnyOrder("2-aaaa", "2-bbbb", "2-cccc");
        assertThat(reply.rows())
                .filteredOn(row -> row.at("/ok/_deleted").asBoolean())
                .hasSize(1);
    }

    @Test
    void named_leaves_can_be_asked_for_and_unknown_ones_are_missing(Db db) {
        String rev = db.save("{_id: 'a', n: 1}");

        String asked = Couch.query("open_revs", "[\"%s\",\"%s\"]".formatted(rev, NEVER));
        Reply reply = db.get("/a" + asked, "Accept", "application/json").expect(200);

        assertThat(reply.at("/0/ok/n").asInt()).isEqualTo(1);
        assertThat(reply.at("/1")).isEqualTo(json("{missing: '%s'}".formatted(NEVER)));
    }

    @Test
    void the_latest_of_a_named_revision_is_its_leaf(Db db) {
        String first = db.save("{_id: 'a'}");
        String second = db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));

        Reply reply = db.get(
                "/a" + Couch.query("open_revs", "[\"%s\"]".formatted(first), "latest", "true"),
                "Accept",
                "application/json");

        assertThat(reply.text("/0/ok/_rev")).isEqualTo(second);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"1-ffff", "2-aaaa", "2-bbbb", "2-cccc", NEVER})
    void the_latest_of_one_document_is_its_winner_whatever_revision_is_named(String rev, Db db) {
        db.graft("a", "{n: 1}", "aaaa", "ffff");
        db.graft("a", "{n: 2}", "bbbb", "ffff");
        db.graft("a", "{_deleted: true}", "cccc", "ffff");

        assertThat(db.get("/a?latest=true&rev=" + rev).text("/_rev")).isEqualTo("2-bbbb");
    }

    @Test
    void the_latest_of_a_deleted_document_is_deleted(Db db) {
        String tombstone = db.remove("a", db.save("{_id: 'a'}"));

        assertThat(db.get("/a?rev=" + tombstone).status()).isEqualTo(200);
        assertThat(db.get("/a?latest=true&rev=" + tombstone).error()).isEqualTo("404 not_found: deleted");
    }

    @Test
    void a_named_revision_tells_nothing_of_the_others(Db db) {
        db.graft("a", "{n: 1}", "aaaa");
        db.graft("a", "{n: 2}", "bbbb");

        assertThat(db.get("/a?rev=1-bbbb&conflicts=true").json()).isEqualTo(json("{_id: 'a', _rev: '1-bbbb', n: 2}"));
        assertThat(db.get("/a?conflicts=true").at("/_conflicts")).isEqualTo(json("['1-aaaa']"));
    }

    @Test
    void the_latest_of_several_named_revisions_tells_each_leaf_once(Db db) {
        db.graft("a", "{n: 1}", "aaaa", "ffff");
        db.graft("a", "{n: 2}", "bbbb", "ffff");

        assertThat(openRevs(db, "a", "[\"1-ffff\",\"2-aaaa\"]", "latest", "true"))
                .isEqualTo(json("[{ok: {_id: 'a', _rev: '2-aaaa', n: 1}}, {ok: {_id: 'a', _rev: '2-bbbb', n: 2}}]"));
        assertThat(openRevs(db, "a", "[\"2-aaaa\",\"2-aaaa\"]")).hasSize(1);
    }

    @Test
    void named_leaves_come_in_their_order_and_missing_ones_after_them(Db db) {
        db.graft("a", "{n: 1}", "aaaa");
        db.graft("a", "{n: 2}", "bbbb");

        JsonNode told = openRevs(db, "a", "[\"%s\",\"1-bbbb\",\"1-aaaa\"]".formatted(NEVER));

        assertThat(told.findValuesAsText("_rev")).containsExactly("1-aaaa", "1-bbbb");
        assertThat(told.at("/2")).isEqualTo(json("{missing: '%s'}".formatted(NEVER)));
    }

    @Test
    void named_leaves_of_a_document_that_never_was_are_missing(Db db) {
        assertThat(openRevs(db, "none", "[\"%s\"]".formatted(NEVER)))
                .isEqualTo(json("[{missing: '%s'}]".formatted(NEVER)));
    }

    private static JsonNode openRevs(Db db, String id, String revs, String... more) {
        String query = Couch.query("open_revs", revs) + Couch.query(more).replace('?', '&');
        return db.get("/" + id + query, "Accept", "application/json")
                .expect(200)
                .json();
    }

    @Test
    void revisions_that_a_database_lacks_can_be_asked_for(Db db) {
        String first = db.save("{_id: 'a'}");

        Reply reply = db.post("/_revs_diff", "{a: ['%s', '2-ffff'], b: ['1-eeee']}".formatted(first));

        assertThat(reply.expect(200).at("/a/missing")).isEqualTo(json("['2-ffff']"));
        assertThat(reply.at("/a/possible_ancestors")).isEqualTo(json("['%s']".formatted(first)));
        assertThat(reply.at("/b")).isEqualTo(json("{missing: ['1-eeee']}"));
    }

    @Test
    void a_document_that_a_database_has_in_full_is_not_listed_as_lacking(Db db) {
        String first = db.save("{_id: 'a'}");

        assertThat(db.post("/_revs_diff", "{a: ['%s']}".formatted(first)).json())
                .isEqualTo(object());
    }

    @Test
    void the_history_is_cut_at_the_limit_of_kept_revisions(Db db) {
        db.put("/_revs_limit", json("3")).expect(200);
        String rev = db.save("{_id: 'a', n: 0}");
        for (int n = 1; n < 6; n++) {
            rev = db.save("{_id: 'a', n: %d, _rev: '%s'}".formatted(n, rev));
        }

        assertThat(db.get("/a?revs=true").at("/_revisions/start").asInt()).isEqualTo(6);
        assertThat(db.get("/a?revs=true").at("/_revisions/ids")).hasSize(3);
    }
}
