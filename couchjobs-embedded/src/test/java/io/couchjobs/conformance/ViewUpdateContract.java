package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How a view follows the documents: an index is a moment's picture, and the caller says how old it may be. */
abstract class ViewUpdateContract {
    private static final String BY_STATUS = "function (doc) { if (doc.status) emit(doc.status, doc._rev); }";

    @Test
    void a_view_sees_everything_that_was_written_before_it_was_asked(Db db) {
        db.view(BY_STATUS);
        for (int n = 0; n < 5; n++) {
            db.save("{_id: 'd%d', status: 'waiting'}".formatted(n));
            assertThat(db.query().rows()).hasSize(n + 1);
        }
    }

    @Test
    void a_changed_document_moves_its_row(Db db) {
        db.view(BY_STATUS);
        String rev = db.save("{_id: 'a', status: 'waiting'}");
        assertThat(db.query().keys()).isEqualTo(json("['waiting']"));

        String next = db.save("{_id: 'a', status: 'running', _rev: '%s'}".formatted(rev));

        assertThat(db.query().json())
                .isEqualTo(json(
                        "{total_rows: 1, offset: 0, rows: [{id: 'a', key: 'running', value: '%s'}]}".formatted(next)));
    }

    @Test
    void a_document_that_no_longer_matches_has_no_row(Db db) {
        db.view(BY_STATUS);
        String rev = db.save("{_id: 'a', status: 'waiting'}");
        assertThat(db.query().rows()).hasSize(1);

        db.save("{_id: 'a', _rev: '%s'}".formatted(rev));

        assertThat(db.query().rows()).isEmpty();
    }

    @Test
    void a_deleted_document_has_no_row(Db db) {
        db.view(BY_STATUS);
        String rev = db.save("{_id: 'a', status: 'waiting'}");
        assertThat(db.query().rows()).hasSize(1);

        db.remove("a", rev);

        assertThat(db.query().rows()).isEmpty();
        assertThat(db.query().at("/total_rows").asInt(-1)).isZero();
    }

    @Test
    void a_document_made_again_has_its_row_again(Db db) {
        db.view(BY_STATUS);
        db.remove("a", db.save("{_id: 'a', status: 'waiting'}"));
        assertThat(db.query().rows()).isEmpty();

        String rev = db.save("{_id: 'a', status: 'waiting'}");

        assertThat(db.query().values()).isEqualTo(json("['%s']".formatted(rev)));
    }

    @Test
    void an_index_that_may_be_old_is_not_updated(Db db) {
        viewUpdatedOnlyWhenAsked(db);
        db.save("{_id: 'a', status: 'waiting'}");
        assertThat(db.query().ids()).containsExactly("a");
        db.save("{_id: 'b', status: 'waiting'}");

        assertThat(db.query("update", "false").ids()).containsExactly("a");
        assertThat(db.query("update", "true").ids()).containsExactly("a", "b");
    }

    @Test
    void an_old_index_still_has_the_revision_it_was_built_from(Db db) {
        viewUpdatedOnlyWhenAsked(db);
        String first = db.save("{_id: 'a', status: 'waiting'}");
        assertThat(db.query().rows()).hasSize(1);
        String second = db.save("{_id: 'a', status: 'waiting', n: 2, _rev: '%s'}".formatted(first));

        Reply old = db.query("update", "false", "include_docs", "true");

        assertThat(old.values()).isEqualTo(json("['%s']".formatted(first)));
        assertThat(old.at("/rows/0/doc/_rev").asText()).isEqualTo(second);
    }

    @Test
    void an_index_may_be_read_as_it_is_and_updated_afterwards(Db db) {
        db.view(BY_STATUS);
        db.save("{_id: 'a', status: 'waiting'}");
        assertThat(db.query().rows()).hasSize(1);
        db.save("{_id: 'b', status: 'waiting'}");

        assertThat(db.query("update", "lazy").expect(200).rows().size()).isBetween(1, 2);
        assertThat(db.query().rows()).hasSize(2);
    }

    @Test
    void a_changed_function_makes_a_new_index(Db db) {
        db.view(BY_STATUS);
        db.save("{_id: 'a', status: 'waiting'}");
        assertThat(db.query().rows()).hasSize(1);
        String rev = db.get("/_design/t").text("/_rev");

        db.put(
                        "/_design/t",
                        object("{views: {v: {map: 'function (doc) { emit(7, null); }'}}}")
                                .put("_rev", rev))
                .expect(201);

        assertThat(db.query().keys()).isEqualTo(json("[7]"));
    }

    @Test
    void a_design_document_that_comes_late_indexes_what_was_there(Db db) {
        db.fill(1, 20);

        db.view("function (doc) { emit(doc.n, null); }");

        assertThat(db.query().rows()).hasSize(20);
    }

    @Test
    void the_position_of_the_feed_can_be_asked_for_with_the_rows(Db db) {
        db.view(BY_STATUS);
        db.save("{_id: 'a', status: 'waiting'}");

        String position = db.query("update_seq", "true").text("/update_seq");

        db.save("{_id: 'b', status: 'waiting'}");
        assertThat(db.changes("since", position).ids()).contains("b").doesNotContain("a");
    }

    @Test
    void a_row_that_moves_is_seen_in_one_of_its_places_at_any_time(Db db) {
        db.view("function (doc) { emit(doc.status, null); }");
        db.fill(1, 50);
        assertThat(db.query().rows()).hasSize(50);
        var first = db.couch().later(() -> moveBackAndForth(db, 1, 25));
        var second = db.couch().later(() -> moveBackAndForth(db, 26, 50));
        var moved = CompletableFuture.allOf(first, second);

        while (!moved.isDone()) {
            Reply range = db.query("update", "false");
            assertThat(range.ids()).hasSize(50).doesNotHaveDuplicates();
            assertThat(range.at("/total_rows").asInt()).isEqualTo(50);
            assertThat(db.query("update", "false", "keys", "[null,'left','right']".replace('\'', '"'))
                            .ids())
                    .hasSize(50)
                    .doesNotHaveDuplicates();
        }
        moved.join();
    }

    private static boolean moveBackAndForth(Db db, int from, int to) {
        ObjectNode batch = object();
        IntStream.rangeClosed(from, to)
                .forEach(n -> batch.withArray("docs").addObject().put("_id", "n%02d".formatted(n)));
        for (int round = 0; round < 60; round++) {
            String status = round % 2 == 0 ? "right" : "left";
            Map<String, String> revs = db.allDocs().rows().stream()
                    .collect(toMap(row -> row.path("id").asText(), row -> row.at("/value/rev")
                            .asText()));
            batch.path("docs").forEach(doc -> ((ObjectNode) doc)
                    .put("status", status)
                    .put("_rev", revs.get(doc.path("_id").asText())));
            db.post("/_bulk_docs", batch).expect(201);
            db.query().expect(200);
        }
        return true;
    }

    @Test
    void a_loser_of_a_conflict_has_no_row(Db db) {
        db.view(BY_STATUS);
        db.graft("a", "{status: 'waiting'}", "aaaa");
        db.graft("a", "{status: 'running'}", "bbbb");

        assertThat(db.query().keys()).isEqualTo(json("['running']"));

        db.remove("a", "1-bbbb");
        assertThat(db.query().keys()).isEqualTo(json("['waiting']"));
    }

    /** CouchDB updates indexes in the background too, a moment after a write, unless told not to. */
    private static void viewUpdatedOnlyWhenAsked(Db db) {
        ObjectNode design = object("{_id: '_design/t', autoupdate: false, views: {v: {}}}");
        design.withObject("/views/v").put("map", BY_STATUS);
        db.save(design);
    }
}
