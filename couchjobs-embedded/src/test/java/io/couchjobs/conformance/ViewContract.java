package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a map function sees, what it may emit, and what its rows look like. */
abstract class ViewContract {
    private static final String BY_N = "function (doc) { if (doc.n) emit(doc.n, doc._rev); }";

    @Test
    void a_row_has_the_id_of_the_document_and_what_was_emitted(Db db) {
        db.view("function (doc) { emit([doc.type, 1], {a: doc.n}); }");
        db.save("{_id: 'a', type: 'x', n: 7}");

        assertThat(db.query().expect(200).json())
                .isEqualTo(json("{total_rows: 1, offset: 0, rows: [{id: 'a', key: ['x', 1], value: {a: 7}}]}"));
    }

    @Test
    void a_map_function_sees_the_id_and_the_revision(Db db) {
        db.view("function (doc) { emit(doc._id, doc._rev); }");
        String rev = db.save("{_id: 'a'}");

        assertThat(db.query().at("/rows/0/value").asText()).isEqualTo(rev);
    }

    @Test
    void a_map_function_sees_all_kinds_of_values_as_they_were_written(Db db) {
        String kinds =
                "{list: [1, 'b', null], yes: true, text: 'ä\\n🎉', millis: 1795244400123, none: null, deep: {a: {b: [{}]}}}";
        db.view("function (doc) { emit(null, doc.kinds); }");
        db.save(object().put("_id", "a").set("kinds", json(kinds)));

        assertThat(db.query().values().get(0)).isEqualTo(json(kinds));
    }

    @Test
    void a_document_may_have_many_rows_or_none(Db db) {
        db.view("function (doc) { for (var i = 0; i < doc.n; i++) emit(i, doc._id); }");
        db.save("{_id: 'a', n: 2}");
        db.save("{_id: 'b', n: 0}");
        db.save("{_id: 'c', n: 1}");

        assertThat(db.query().keys()).isEqualTo(json("[0, 0, 1]"));
        assertThat(db.query().ids()).containsExactly("a", "c", "a");
    }

    @Test
    void a_map_function_that_throws_skips_its_document_only(Db db) {
        db.view("function (doc) { emit(doc.a.b.c, null); }");
        db.save("{_id: 'bad'}");
        db.save("{_id: 'good', a: {b: {c: 1}}}");
        db.save("{_id: 'worse', a: 7}");

        assertThat(db.query().expect(200).ids()).containsExactly("good");
    }

    @Test
    void a_row_that_was_emitted_before_a_function_threw_is_skipped_too(Db db) {
        db.view("function (doc) { emit(1, null); if (doc.bad) throw new Error('no'); }");
        db.save("{_id: 'bad', bad: true}");
        db.save("{_id: 'good'}");

        assertThat(db.query().ids()).containsExactly("good");
    }

    @Test
    void an_undefined_key_or_value_is_null(Db db) {
        db.view("function (doc) { emit(doc.nothing, doc.nothing); }");
        db.save("{_id: 'a'}");

        assertThat(db.query().at("/rows/0")).isEqualTo(json("{id: 'a', key: null, value: null}"));
    }

    @Test
    void design_documents_are_not_mapped(Db db) {
        db.view("function (doc) { emit(doc._id, null); }");

        assertThat(db.query().rows()).isEmpty();
    }

    @Test
    void two_views_of_a_design_document_are_built_together(Db db) {
        db.put("/_design/two", """
                {views: {up: {map: 'function (doc) { emit(doc.n, null); }'},
                         down: {map: 'function (doc) { emit(-doc.n, null); }'}}}""").expect(201);
        db.fill(1, 3);

        assertThat(db.get("/_design/two/_view/up").keys()).isEqualTo(json("[1, 2, 3]"));
        assertThat(db.get("/_design/two/_view/down").keys()).isEqualTo(json("[-3, -2, -1]"));
    }

    @Test
    void a_map_function_has_the_words_of_the_query_server(Db db) {
        db.view("function (doc) { log('seen'); emit(isArray(doc.list), [sum(doc.list), toJSON(doc.list)]); }");
        db.save("{_id: 'a', list: [1, 2, 3]}");

        assertThat(db.query().at("/rows/0/key").asBoolean()).isTrue();
        assertThat(db.query().at("/rows/0/value")).isEqualTo(json("[6, '[1,2,3]']"));
    }

    @Test
    void a_map_function_may_require_a_module_of_its_design_document(Db db) {
        db.put("/_design/t", """
                {views: {lib: {due: 'exports.of = function (doc) { return doc.n * 10; };'},
                         v: {map: 'function (doc) { emit(require("views/lib/due").of(doc), null); }'}}}""").expect(201);
        db.fill(1, 2);

        assertThat(db.query().keys()).isEqualTo(json("[10, 20]"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lib/due", "views/v/map"})
    void a_map_function_cannot_require_what_is_not_in_the_library_of_the_views(String module, Db db) {
        db.put("/_design/t", """
                {lib: {due: 'exports.n = 1;'},
                 views: {lib: {own: 'exports.n = 2;'},
                         v: {map: 'function (doc) { emit(require("%s"), null); }'}}}""".formatted(module)).expect(201);
        db.fill(1, 1);

        assertThat(db.query().rows()).isEmpty();
    }

    @Test
    void a_view_can_bring_the_documents(Db db) {
        db.view(BY_N);
        db.fill(1, 1);

        JsonNode row = db.query("include_docs", "true").rows().get(0);

        assertThat(row.at("/doc/_id").asText()).isEqualTo("n01");
        assertThat(row.at("/doc/_rev")).isEqualTo(row.at("/value"));
    }

    @Test
    void a_row_can_bring_another_document_by_its_id(Db db) {
        db.view("function (doc) { if (doc.of) emit(null, {_id: doc.of}); }");
        db.save("{_id: 'child', of: 'parent'}");
        db.save("{_id: 'parent', n: 1}");

        assertThat(db.query("include_docs", "true").at("/rows/0/doc/_id").asText())
                .isEqualTo("parent");
    }

    @Test
    void rows_of_one_key_are_ordered_by_id(Db db) {
        db.view("function (doc) { emit('same', null); }");
        db.save("{_id: 'b'}");
        db.save("{_id: 'a'}");
        db.save("{_id: 'B'}");

        assertThat(db.query().ids()).containsExactly("B", "a", "b");
    }

    @Test
    void a_view_says_how_many_rows_it_has(Db db) {
        db.view(BY_N);
        db.fill(1, 7);

        Reply reply = db.query("startkey", "3", "limit", "2");

        assertThat(reply.at("/total_rows").asInt()).isEqualTo(7);
        assertThat(reply.at("/offset").asInt()).isEqualTo(2);
    }

    @Test
    void an_index_has_a_signature_that_changes_with_its_functions(Db db) {
        db.view(BY_N);
        String first = db.get("/_design/t/_info").expect(200).text("/view_index/signature");
        String rev = db.get("/_design/t").text("/_rev");
        db.put(
                        "/_design/t",
                        object("{views: {v: {map: 'function (doc) { emit(1, null); }'}}}")
                                .put("_rev", rev))
                .expect(201);

        assertThat(first).isNotEmpty().isNotEqualTo(db.get("/_design/t/_info").text("/view_index/signature"));
    }

    @Test
    void an_index_that_nobody_has_asked_says_how_many_changes_it_lacks(Db db) {
        db.save(object(
                "{_id: '_design/t', autoupdate: false, views: {v: {map: 'function (doc) { emit(1, null); }'}}}"));
        db.query();
        db.fill(1, 7);

        assertThat(db.get("/_design/t/_info")
                        .at("/view_index/updates_pending/preferred")
                        .asInt())
                .isEqualTo(7);
        db.query();
        assertThat(db.get("/_design/t/_info")
                        .at("/view_index/updates_pending/preferred")
                        .asInt(-1))
                .isZero();
    }
}
