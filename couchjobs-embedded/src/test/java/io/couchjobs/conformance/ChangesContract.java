package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The feed of changes, asked for once: what happened since a position. */
abstract class ChangesContract {

    @Test
    void a_row_has_a_position_the_id_and_the_revision(Db db) {
        String rev = db.save("{_id: 'a'}");

        JsonNode row = db.changes().expect(200).rows().get(0);

        assertThat(row.path("id").asText()).isEqualTo("a");
        assertThat(row.path("changes")).isEqualTo(json("[{rev: '%s'}]".formatted(rev)));
        assertThat(row.path("seq").asText()).isNotEmpty();
        assertThat(row.has("deleted")).isFalse();
    }

    @Test
    void the_feed_of_an_empty_database_has_a_position_already(Db db) {
        Reply reply = db.changes();
        assertThat(reply.rows()).isEmpty();

        db.save("{_id: 'a'}");

        assertThat(db.changes("since", reply.text("/last_seq")).ids()).containsExactly("a");
    }

    @Test
    void every_document_is_there_once_at_its_newest_revision(Db db) {
        String first = db.save("{_id: 'a'}");
        db.save("{_id: 'b', n: 7}");
        String second = db.save("{_id: 'a', n: 2, _rev: '%s'}".formatted(first));

        Reply reply = db.changes();

        assertThat(reply.ids()).containsExactlyInAnyOrder("a", "b");
        assertThat(reply.json().findValuesAsText("rev")).contains(second).doesNotContain(first);
    }

    @Test
    void the_last_position_is_where_to_go_on(Db db) {
        db.fill(1, 5);
        String position = db.changes().text("/last_seq");
        assertThat(db.changes("since", position).rows()).isEmpty();

        db.fill(6, 7);

        assertThat(db.changes("since", position).ids()).containsExactlyInAnyOrder("n06", "n07");
    }

    @Test
    void the_position_of_a_row_is_where_to_go_on(Db db) {
        db.fill(1, 6);
        Reply all = db.changes();
        List<String> ids = all.ids();
        String third = all.rows().get(2).path("seq").asText();

        List<String> rest = db.changes("since", third).ids();

        assertThat(rest).containsAll(ids.subList(3, 6)).doesNotContain(ids.get(2));
    }

    @Test
    void a_feed_may_start_now(Db db) {
        db.fill(1, 2);

        Reply reply = db.changes("since", "now");
        assertThat(reply.rows()).isEmpty();

        db.fill(3, 3);
        assertThat(db.changes("since", reply.text("/last_seq")).ids()).containsExactly("n03");
    }

    @Test
    void the_beginning_is_position_0(Db db) {
        db.fill(1, 2);

        assertThat(db.changes("since", "0").ids()).containsExactlyInAnyOrder("n01", "n02");
    }

    @Test
    void a_deletion_is_a_change(Db db) {
        String tombstone = db.remove("a", db.save("{_id: 'a'}"));

        JsonNode row = db.changes().rows().get(0);

        assertThat(row.path("deleted").asBoolean()).isTrue();
        assertThat(row.at("/changes/0/rev").asText()).isEqualTo(tombstone);
    }

    @Test
    void a_change_can_bring_its_document(Db db) {
        db.save("{_id: 'a', n: 7}");

        JsonNode row = db.changes("include_docs", "true").rows().get(0);

        assertThat(row.at("/doc/n").asInt()).isEqualTo(7);
        assertThat(row.at("/doc/_rev")).isEqualTo(row.at("/changes/0/rev"));
    }

    @Test
    void a_deletion_brings_its_tombstone(Db db) {
        String rev = db.save("{_id: 'a'}");
        db.put("/a", "{_rev: '%s', _deleted: true, why: 'done'}".formatted(rev)).expect(200, 201);

        JsonNode doc = db.changes("include_docs", "true").rows().get(0).path("doc");

        assertThat(doc.path("_deleted").asBoolean()).isTrue();
        assertThat(doc.path("why").asText()).isEqualTo("done");
    }

    @Test
    void conflicts_are_told_with_the_document(Db db) {
        db.graft("a", "{}", "aaaa");
        db.graft("a", "{}", "bbbb");

        assertThat(db.changes("include_docs", "true", "conflicts", "true").at("/results/0/doc/_conflicts"))
                .isEqualTo(json("['1-aaaa']"));
    }

    @Test
    void a_feed_is_read_in_pages(Db db) {
        db.fill(1, 10);
        List<String> seen = new ArrayList<>();
        String position = "0";
        for (int page = 0; page < 4; page++) {
            Reply reply = db.changes("limit", "3", "since", position);
            seen.addAll(reply.ids());
            position = reply.text("/last_seq");
        }

        assertThat(seen).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void a_page_tells_how_many_changes_are_left(Db db) {
        db.fill(1, 5);

        assertThat(db.changes("limit", "2").at("/pending").asInt()).isEqualTo(3);
        assertThat(db.changes().at("/pending").asInt(-1)).isZero();
    }

    @Test
    void a_page_of_nothing_is_empty(Db db) {
        db.fill(1, 2);

        assertThat(db.changes("limit", "0").expect(200).rows()).isEmpty();
    }

    @Test
    void one_of_so_many_changes_tells_its_position_and_the_others_tell_null(Db db) {
        db.fill(1, 9);

        Reply some = db.changes("limit", "8", "seq_interval", "3");
        assertThat(some.rows().stream().map(row -> row.get("seq").isNull()))
                .containsExactly(true, true, false, true, true, false, true, true);
        assertThat(db.changes("since", some.rows().get(5).get("seq").asText()).ids())
                .hasSize(3);
        assertThat(db.changes("since", some.text("/last_seq")).ids()).hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"0", "-1", "1.5", "x"})
    void one_of_no_changes_cannot_tell_its_position(String interval, Db db) {
        assertThat(db.changes("seq_interval", interval).error()).isEqualTo("400 bad_request: invalid_seq_interval");
    }

    @Test
    void a_feed_can_be_read_backwards(Db db) {
        db.save("{_id: 'a'}");
        db.save("{_id: 'b'}");
        db.save("{_id: 'c'}");

        assertThat(db.changes("descending", "true").ids()).hasSize(3);
        assertThat(db.changes("descending", "true", "limit", "1").ids()).hasSize(1);
    }

    @Test
    void a_position_is_opaque_and_stays_valid_while_others_write(Db db) {
        db.fill(1, 3);
        String position = db.position();
        for (int n = 4; n < 30; n++) {
            db.fill(n, n);
        }

        assertThat(db.changes("since", position).ids()).hasSize(26).doesNotContain("n01", "n02", "n03");
    }

    @Test
    void an_external_write_between_two_reads_is_never_missed(Db db) {
        db.fill(1, 1);
        var writer = db.couch().later(() -> {
            db.fill(2, 40);
            return "done";
        });
        Set<String> seen = new HashSet<>();
        String position = "0";
        boolean last = false;
        while (!last) {
            last = writer.isDone();
            Reply page = db.changes("since", position);
            seen.addAll(page.ids());
            position = page.text("/last_seq");
        }

        assertThat(seen).hasSize(40);
    }
}
