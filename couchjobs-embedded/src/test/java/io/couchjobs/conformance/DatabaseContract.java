package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Databases: made, measured, kept small, deleted. */
abstract class DatabaseContract {

    @Test
    void a_database_is_created_once(Couch couch, Db db) {
        assertThat(couch.put(db.path()).errorKind()).isEqualTo("412 file_exists");
    }

    @Test
    void creating_answers_with_the_place_of_the_database(Couch couch, Db db) {
        db.delete("").expect(200, 202);

        Reply reply = makeAgain(couch, db);

        assertThat(reply.json()).isEqualTo(json("{ok: true}"));
        assertThat(reply.header("Location")).endsWith(db.path());
    }

    @Test
    void a_new_database_is_empty(Db db) {
        JsonNode info = db.get("").expect(200).json();

        assertThat(info.path("db_name").asText()).isEqualTo(db.name());
        assertThat(info.path("doc_count").asInt(-1)).isZero();
        assertThat(info.path("doc_del_count").asInt(-1)).isZero();
    }

    @Test
    void a_database_tells_when_it_was_made(Db db) {
        String made = db.get("").text("/instance_start_time");
        assertThat(Long.parseLong(made)).isPositive();
        db.save("{_id: 'a'}");

        assertThat(db.get("").text("/instance_start_time")).isEqualTo(made);
    }

    @Test
    void documents_and_tombstones_are_counted_apart(Db db) {
        db.save("{_id: 'stays'}");
        db.remove("goes", db.save("{_id: 'goes'}"));

        JsonNode info = db.get("").json();

        assertThat(info.path("doc_count").asInt()).isEqualTo(1);
        assertThat(info.path("doc_del_count").asInt()).isEqualTo(1);
    }

    @Test
    void every_write_moves_the_update_sequence(Db db) {
        String before = db.get("").text("/update_seq");
        db.save("{_id: 'a'}");

        assertThat(db.get("").text("/update_seq")).isNotEqualTo(before);
    }

    @Test
    void sizes_are_told_in_bytes(Db db) {
        assertThat(db.get("").at("/sizes/file").isIntegralNumber()).isTrue();
        assertThat(db.get("").at("/sizes/active").isIntegralNumber()).isTrue();
    }

    @Test
    void a_head_request_tells_whether_a_database_is_there(Couch couch, Db db) {
        assertThat(db.send("HEAD", "").status()).isEqualTo(200);
        assertThat(couch.send("HEAD", "/no-such-database").status()).isEqualTo(404);
    }

    @Test
    void a_missing_database_is_not_found_by_any_request(Couch couch) {
        String missing = "404 not_found";

        assertThat(couch.get("/no-such-database").errorKind()).isEqualTo(missing);
        assertThat(couch.get("/no-such-database/doc").errorKind()).isEqualTo(missing);
        assertThat(couch.put("/no-such-database/doc", object()).errorKind()).isEqualTo(missing);
        assertThat(couch.get("/no-such-database/_all_docs").errorKind()).isEqualTo(missing);
        assertThat(couch.get("/no-such-database/_changes").errorKind()).isEqualTo(missing);
        assertThat(couch.post("/no-such-database/_bulk_docs", json("{docs: [{}]}"))
                        .errorKind())
                .isEqualTo(missing);
        assertThat(couch.delete("/no-such-database").errorKind()).isEqualTo(missing);
    }

    @Test
    void a_missing_or_present_database_is_told_in_words(Couch couch, Db db) {
        assertThat(couch.get("/no-such-database/doc").error()).isEqualTo("404 not_found: Database does not exist.");
        assertThat(couch.put(db.path()).error())
                .isEqualTo("412 file_exists: The database could not be created, the file already exists.");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"Upper", "1digit", "sp%20ace", "_under", "%C3%A4", "dot.ted"})
    void a_name_that_breaks_the_rules_is_refused(String name, Couch couch) {
        Reply reply = couch.put("/" + name);

        assertThat(reply.errorKind()).isEqualTo("400 illegal_database_name");
        assertThat(reply.text("/reason"))
                .contains(
                        "Only lowercase characters (a-z), digits (0-9), and any of the characters _, $, (, ), +, -, and "
                                + "/ are allowed. Must begin with a letter.");
    }

    @Test
    void a_name_may_hold_all_the_allowed_signs(Couch couch, Db db) {
        String name = db.name() + "/a_b$c(d)+e-f";
        String path = "/" + Couch.escape(name);
        couch.put(path).expect(201, 202);

        assertThat(couch.get(path).text("/db_name")).isEqualTo(name);
        assertThat(couch.delete(path).expect(200, 202).json()).isEqualTo(json("{ok: true}"));
    }

    @Test
    void a_database_that_is_made_again_has_forgotten_everything(Couch couch, Db db) {
        db.save("{_id: 'a'}");
        db.delete("").expect(200, 202);
        makeAgain(couch, db);

        assertThat(db.read("a").error()).isEqualTo("404 not_found: missing");
        assertThat(db.changes().rows()).isEmpty();
    }

    @Test
    void the_limit_of_kept_revisions_can_be_read_and_set(Db db) {
        assertThat(db.get("/_revs_limit").json().asInt()).isEqualTo(1000);

        db.put("/_revs_limit", json("20")).expect(200);

        assertThat(db.get("/_revs_limit").json().asInt()).isEqualTo(20);
    }

    @Test
    void security_starts_with_administrators_only_and_is_kept_as_written(Db db) {
        assertThat(db.get("/_security").expect(200).text("/admins/roles/0")).isEqualTo("_admin");
        JsonNode mine = json("{admins: {names: ['ann'], roles: []}, members: {names: [], roles: ['worker']}}");

        assertThat(db.put("/_security", mine).expect(200).json()).isEqualTo(json("{ok: true}"));

        assertThat(db.get("/_security").json()).isEqualTo(mine);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "{members: {names: 'ann'}}",
                "{members: {names: [], roles: {}}}",
                "{members: {roles: [7]}}",
                "{members: ['ann']}",
                "{readers: {names: null}}",
                "{admins: {names: [null]}}",
                "{admins: 'ann'}",
                "[]"
            })
    void security_that_names_people_other_than_in_lists_of_texts_is_refused(String wrong, Db db) {
        JsonNode before = db.get("/_security").json();

        assertThat(db.put("/_security", json(wrong)).error()).isEqualTo("500 error: no_majority");

        assertThat(db.get("/_security").json()).isEqualTo(before);
    }

    @Test
    void compaction_is_started_and_not_waited_for(Db db) {
        assertThat(db.post("/_compact", object()).expect(202).json()).isEqualTo(json("{ok: true}"));
        assertThat(db.get("").at("/compact_running").isBoolean()).isTrue();
    }

    @Test
    void compaction_of_an_index_needs_its_design_document(Db db) {
        db.view("function (doc) { emit(doc._id, null); }");

        assertThat(db.post("/_compact/t", object()).status()).isEqualTo(202);
        assertThat(db.post("/_compact/none", object()).error()).isEqualTo("404 not_found: missing");
    }

    @Test
    void old_indexes_can_be_cleaned_up(Db db) {
        assertThat(db.post("/_view_cleanup", object()).expect(202).json()).isEqualTo(json("{ok: true}"));
    }

    @Test
    void a_flush_to_disk_can_be_asked_for(Db db) {
        assertThat(db.post("/_ensure_full_commit", object())
                        .expect(201)
                        .at("/ok")
                        .asBoolean())
                .isTrue();
    }

    /** A node of a cluster may believe for a moment that the former one is still there. */
    private static Reply makeAgain(Couch couch, Db db) {
        AtomicReference<Reply> reply = new AtomicReference<>();
        Eventually.holds(() -> {
            reply.set(couch.put(db.path()));
            return reply.get().status() != 412;
        });
        return reply.get().expect(201, 202);
    }
}
