package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers about rows: counts by type and status are reduced views. */
abstract class ReduceContract {
    private static final String BY_STATUS = "function (doc) { if (doc.type) emit([doc.type, doc.status], doc.n); }";

    @Test
    void rows_are_counted_all_together(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_count");

        assertThat(db.query().expect(200).json()).isEqualTo(json("{rows: [{key: null, value: 6}]}"));
    }

    @Test
    void rows_are_counted_by_key(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_count");

        assertThat(db.query("group", "true").at("/rows")).isEqualTo(json("""
                [{key: ['email', 'running'], value: 1}, {key: ['email', 'waiting'], value: 3},
                 {key: ['fax', 'waiting'], value: 2}]"""));
    }

    @Test
    void rows_are_counted_by_the_beginning_of_the_key(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_count");

        assertThat(db.query("group_level", "1").at("/rows"))
                .isEqualTo(json("[{key: ['email'], value: 4}, {key: ['fax'], value: 2}]"));
        assertThat(db.query("group_level", "0").at("/rows")).isEqualTo(json("[{key: null, value: 6}]"));
        assertThat(db.query("group_level", "9").rows()).hasSize(3);
    }

    @Test
    void a_range_is_counted(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_count");

        assertThat(db.query("startkey", "[\"email\"]", "endkey", "[\"email\",{}]")
                        .at("/rows/0/value")
                        .asInt())
                .isEqualTo(4);
        assertThat(db.query("key", "[\"fax\",\"waiting\"]").at("/rows/0/value").asInt())
                .isEqualTo(2);
    }

    @Test
    void a_range_without_rows_has_no_sum_at_all(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_count");

        assertThat(db.query("key", "[\"none\"]", "group", "true").rows()).isEmpty();
        assertThat(db.query("key", "[\"none\"]").rows()).isEmpty();
    }

    @Test
    void keys_are_counted_each(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_count");

        Reply reply = db.post("/_design/t/_view/v?group=true", "{keys: [['fax', 'waiting'], ['email', 'running']]}");

        assertThat(reply.values()).isEqualTo(json("[2, 1]"));
    }

    @Test
    void groups_are_paged_and_turned_around(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_count");

        assertThat(db.query("group", "true", "descending", "true", "limit", "1").keys())
                .isEqualTo(json("[['fax', 'waiting']]"));
        assertThat(db.query("group", "true", "skip", "1").values()).isEqualTo(json("[3, 2]"));
    }

    @Test
    void values_are_summed(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_sum");

        assertThat(db.query().at("/rows/0/value").asInt()).isEqualTo(21);
    }

    @Test
    void lists_are_summed_by_place(Db db) {
        jobs(db);
        db.view("function (doc) { emit(null, [1, doc.n]); }", "_sum");

        assertThat(db.query().at("/rows/0/value")).isEqualTo(json("[6, 21]"));
    }

    @Test
    void values_are_described(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_stats");

        JsonNode stats = db.query().at("/rows/0/value");

        assertThat(stats.path("sum").asDouble()).isEqualTo(21);
        assertThat(stats.path("count").asInt()).isEqualTo(6);
        assertThat(stats.path("min").asDouble()).isEqualTo(1);
        assertThat(stats.path("max").asDouble()).isEqualTo(6);
        assertThat(stats.path("sumsqr").asDouble()).isEqualTo(91);
    }

    @Test
    void lists_are_described_by_place(Db db) {
        jobs(db);
        db.view("function (doc) { emit(null, [1, doc.n]); }", "_stats");

        JsonNode stats = db.query().at("/rows/0/value");

        assertThat(stats).hasSize(2);
        assertThat(stats.at("/0/sum").asInt()).isEqualTo(6);
        assertThat(stats.at("/1/sum").asInt()).isEqualTo(21);
        assertThat(stats.at("/1/count").asInt()).isEqualTo(6);
        assertThat(stats.at("/1/max").asInt()).isEqualTo(6);
        assertThat(stats.at("/1/sumsqr").asInt()).isEqualTo(91);
    }

    @Test
    void the_statistics_that_a_map_function_emits_itself_are_put_together(Db db) {
        jobs(db);
        db.view("function (doc) { emit(null, {sum: doc.n, count: 2, min: 0, max: doc.n, sumsqr: 1}); }", "_stats");

        JsonNode stats = db.query().at("/rows/0/value");

        assertThat(stats.path("sum").asInt()).isEqualTo(21);
        assertThat(stats.path("count").asInt()).isEqualTo(12);
        assertThat(stats.path("min").asInt()).isZero();
        assertThat(stats.path("max").asInt()).isEqualTo(6);
    }

    @Test
    void a_value_that_is_no_number_has_no_statistics(Db db) {
        jobs(db);
        db.view("function (doc) { emit(null, 'x'); }", "_stats");

        assertThat(db.query().errorKind()).isEqualTo("500 invalid_value");
    }

    @Test
    void a_sum_tells_what_it_could_not_add(Db db) {
        jobs(db);
        db.view("function (doc) { emit(null, 'x'); }", "_sum");

        JsonNode sum = db.query().expect(200).at("/rows/0/value");

        assertThat(sum.path("error").asText()).isEqualTo("builtin_reduce_error");
        assertThat(sum.path("caused_by").asText()).isEqualTo("x");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"_sum ", "_sum\n", "_sumx", "_sum /* all */"})
    void the_text_after_the_name_of_a_builtin_function_is_not_looked_at(String reduce, Db db) {
        jobs(db);
        db.view(BY_STATUS, reduce);

        assertThat(db.query().at("/rows/0/value").asInt()).isEqualTo(21);
    }

    @Test
    void a_function_that_throws_reduces_to_null(Db db) {
        jobs(db);
        db.view(BY_STATUS, "function (keys, values) { throw new Error('no'); }");

        assertThat(db.query("group_level", "1").expect(200).values()).isEqualTo(json("[null, null]"));
    }

    @Test
    void the_oldest_of_a_group_is_its_minimum(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_stats");

        assertThat(db.query("group_level", "1").at("/rows/1/value/min").asDouble())
                .isEqualTo(5);
    }

    @Test
    void a_reduce_may_be_written_in_javascript(Db db) {
        jobs(db);
        db.view(BY_STATUS, "function (keys, values, rereduce) { return Math.max.apply(null, values); }");

        assertThat(db.query("group_level", "1").values()).isEqualTo(json("[4, 6]"));
    }

    @Test
    void the_rows_behind_a_number_can_be_asked_for(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_count");

        Reply reply = db.query("reduce", "false", "key", "[\"fax\",\"waiting\"]", "include_docs", "true");

        assertThat(reply.ids()).containsExactly("j5", "j6");
        assertThat(reply.at("/rows/0/doc/n").asInt()).isEqualTo(5);
    }

    @Test
    void a_number_has_no_documents(Db db) {
        db.view(BY_STATUS, "_count");

        assertThat(db.query("include_docs", "true").error())
                .isEqualTo("400 query_parse_error: `include_docs` is invalid for reduce");
    }

    @Test
    void a_count_follows_changes_and_deletions(Db db) {
        jobs(db);
        db.view(BY_STATUS, "_count");
        assertThat(db.query().at("/rows/0/value").asInt()).isEqualTo(6);

        db.save("{_id: 'j1', type: 'fax', status: 'waiting', _rev: '%s'}"
                .formatted(db.read("j1").text("/_rev")));
        db.remove("j2", db.read("j2").text("/_rev"));

        assertThat(db.query("group_level", "1").values()).isEqualTo(json("[2, 3]"));
    }

    private static void jobs(Db db) {
        db.post("/_bulk_docs", """
                {docs: [{_id: 'j1', n: 1, type: 'email', status: 'waiting'},
                        {_id: 'j2', n: 2, type: 'email', status: 'waiting'},
                        {_id: 'j3', n: 3, type: 'email', status: 'waiting'},
                        {_id: 'j4', n: 4, type: 'email', status: 'running'},
                        {_id: 'j5', n: 5, type: 'fax', status: 'waiting'},
                        {_id: 'j6', n: 6, type: 'fax', status: 'waiting'}]}""").expect(201);
    }
}
