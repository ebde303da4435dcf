package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The order of keys in a view: nothing, falsehood, truth, numbers, texts as people sort them, lists, objects. */
abstract class CollationContract {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            kinds        | [null, false, true, 0, 'a', [], {}]
            numbers      | [-9007199254740991, -1.5, -1, 0, 0.5, 1, 2, 10, 1795244400123, 1e300]
            letters      | ['', 'a', 'A', 'aa', 'b', 'B', 'ba', 'bb']
            signs        | ['_', '-', ',', ';', ':', '!', '.', '(', '@', '*', '/', '&', '#', '%', '`', '^', '+', '<', '$', 'a']
            digits       | ['-1', '0', '10', '9', 'a', 'Z']
            alphabets    | ['a', 'ä', 'az', 'b', 'o', 'ö', 'z', 'ω', 'я', '漢']
            accents      | ['cafe', 'café', 'caff', 'e-mail:x', 'email']
            lists        | [[], [null], [1], [1, 'a'], [2], ['a'], ['a', []], ['a', {}], ['b', 'c'], ['b', 'c', 'a'], [[]], [{}]]
            objects      | [{}, {a: 1}, {a: 2}, {a: 2, b: 1}, {b: 1}, {b: 2}, {b: 2, a: 1}, {b: 2, c: 2}]
            types        | [['email', 0], ['email', 1795244400123], ['email', {}], ['Email', 0], ['email2', 0], ['fax', 0]]""")
    void keys_are_kept_in_order(String kind, String ordered, Db db) {
        db.view("function (doc) { emit(doc.key, null); }");
        JsonNode keys = json(ordered);
        store(db, keys);

        assertThat(db.query().keys()).isEqualTo(keys);
    }

    @Test
    void the_order_is_the_same_backwards(Db db) {
        db.view("function (doc) { emit(doc.key, null); }");
        store(db, json("[null, 1, 'a', 'B', ['x'], {}]"));

        assertThat(db.query("descending", "true").keys()).isEqualTo(json("[{}, ['x'], 'B', 'a', 1, null]"));
    }

    @Test
    void everything_of_a_kind_is_a_range(Db db) {
        db.view("function (doc) { emit(doc.key, null); }");
        store(db, json("[null, false, 1, 'a', 'z', '漢', ['x'], ['x', 1], {}, {a: 1}]"));

        assertThat(db.query("startkey", "\"\"", "endkey", "[]", "inclusive_end", "false")
                        .keys())
                .isEqualTo(json("['a', 'z', '漢']"));
        assertThat(db.query("startkey", "[]", "endkey", "{}", "inclusive_end", "false")
                        .keys())
                .isEqualTo(json("[['x'], ['x', 1]]"));
        assertThat(db.query("startkey", "\"a\"", "endkey", "\"a\ufff0\"").keys())
                .isEqualTo(json("['a']"));
    }

    @Test
    void texts_that_look_alike_are_different_keys(Db db) {
        db.view("function (doc) { emit(doc.key, null); }");
        store(db, json("['a', 'A', 'á', 'a ', 'ａ']"));

        for (String key : List.of("a", "A", "á", "a ", "ａ")) {
            assertThat(db.query("key", Json.quoted(key)).keys()).hasSize(1);
        }
    }

    /** Stores one document per key, in an order that has nothing to do with the keys. */
    private static void store(Db db, JsonNode keys) {
        List<JsonNode> shuffled = new ArrayList<>();
        keys.forEach(shuffled::add);
        Collections.shuffle(shuffled, new Random(7));
        ObjectNode batch = object();
        shuffled.forEach(key -> batch.withArray("docs").addObject().set("key", key));
        db.post("/_bulk_docs", batch).expect(201);
    }
}
