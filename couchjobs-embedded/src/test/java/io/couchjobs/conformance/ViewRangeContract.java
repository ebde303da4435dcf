package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static io.couchjobs.conformance.Json.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a view: keys, ranges, pages. */
abstract class ViewRangeContract {
    private static final String BY_N = "function (doc) { if (doc.n) emit(doc.n, null); }";
    private static final String BY_HALF = "function (doc) { if (doc.n) emit(Math.floor(doc.n / 2), null); }";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            key=3                                        | 3
            key=9                                        | ^^
            key=3.0                                      | 3
            startkey=3                                   | 3 4 5 6
            start_key=3&end_key=4                        | 3 4
            endkey=3                                     | 1 2 3
            startkey=2&endkey=4                          | 2 3 4
            startkey=2&endkey=4&inclusive_end=false      | 2 3
            startkey=2.5&endkey=4.5                      | 3 4
            startkey=4&endkey=2&descending=true          | 4 3 2
            startkey=4&endkey=2&descending=true&inclusive_end=false | 4 3
            endkey=5&descending=true                     | 6 5
            descending=true                              | 6 5 4 3 2 1
            limit=2                                      | 1 2
            limit=0                                      | ^^
            skip=4                                       | 5 6
            skip=9                                       | ^^
            skip=1&limit=2&startkey=3                    | 4 5
            skip=1&limit=2&descending=true               | 5 4
            startkey=null&endkey=[]                      | 1 2 3 4 5 6
            startkey="a"                                 | ^^""")
    void a_range_of_keys(String range, String expected, Db db) {
        db.view(BY_N);
        db.fill(1, 6);

        Reply reply = db.get("/_design/t/_view/v?" + range.replace("\"", "%22").replace("[]", "%5B%5D"))
                .expect(200);

        assertThat(keys(reply)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            startkey=2&startkey_docid=n05                         | n05 n06 n07
            startkey=2&start_key_doc_id=n05                       | n05 n06 n07
            endkey=2&endkey_docid=n04                             | n01 n02 n03 n04
            endkey=2&endkey_docid=n04&inclusive_end=false         | n01 n02 n03
            startkey=2&startkey_docid=n04&descending=true         | n04 n03 n02 n01
            startkey=2&startkey_docid=n04x&limit=1                | n05
            startkey_docid=n05                                    | n01 n02 n03 n04 n05 n06 n07""")
    void a_range_that_begins_or_ends_within_one_key(String range, String expected, Db db) {
        db.view(BY_HALF);
        db.fill(1, 7);

        Reply reply = db.get("/_design/t/_view/v?" + range).expect(200);

        assertThat(String.join(" ", reply.ids())).isEqualTo(expected);
    }

    @Test
    void keys_come_in_the_order_asked_for(Db db) {
        db.view(BY_HALF);
        db.fill(1, 5);

        Reply reply = db.post("/_design/t/_view/v", "{keys: [2, 9, 0]}").expect(200);

        assertThat(reply.ids()).containsExactly("n04", "n05", "n01");
    }

    /** In any order: CouchDB merges the rows of shards by the last place of a key, so that other keys may come first. */
    @Test
    void a_key_that_is_asked_for_twice_comes_twice(Db db) {
        db.view(BY_HALF);
        db.fill(1, 5);

        Reply reply = db.post("/_design/t/_view/v", "{keys: [2, 9, 0, 2]}").expect(200);

        assertThat(reply.ids()).containsExactlyInAnyOrder("n04", "n05", "n01", "n04", "n05");
    }

    @Test
    void keys_may_be_given_in_the_query(Db db) {
        db.view(BY_N);
        db.fill(1, 3);

        assertThat(db.query("keys", "[3,1]").keys()).isEqualTo(json("[3, 1]"));
    }

    @Test
    void a_range_that_runs_backwards_is_refused(Db db) {
        db.view(BY_N);

        Reply reply = db.query("startkey", "4", "endkey", "2");

        assertThat(reply.errorKind()).isEqualTo("400 query_parse_error");
        assertThat(reply.text("/reason")).startsWith("No rows can match your key range");
    }

    @Test
    void a_prefix_of_array_keys_is_a_range(Db db) {
        db.view("function (doc) { if (doc.n) emit([doc.n % 2 ? 'odd' : 'even', doc.n], null); }");
        db.fill(1, 5);

        Reply odd = db.query("startkey", "[\"odd\"]", "endkey", "[\"odd\",{}]");
        Reply due = db.query("startkey", "[\"odd\"]", "endkey", "[\"odd\",3]");

        assertThat(odd.ids()).containsExactly("n01", "n03", "n05");
        assertThat(due.ids()).containsExactly("n01", "n03");
    }

    @Test
    void a_range_may_be_given_in_the_body(Db db) {
        db.view(BY_N);
        db.fill(1, 6);

        assertThat(db.post("/_design/t/_view/v", "{start_key: 5, end_key: 3, descending: true, limit: 2}")
                        .keys())
                .isEqualTo(json("[5, 4]"));
    }

    @Test
    void several_queries_are_answered_in_order(Db db) {
        db.view(BY_N);
        db.fill(1, 4);

        JsonNode results = db.post(
                        "/_design/t/_view/v/queries",
                        "{queries: [{startkey: 3}, {key: 1, include_docs: true}, {descending: true, limit: 1}]}")
                .expect(200)
                .at("/results");

        assertThat(results.at("/0/rows").findValuesAsText("key")).containsExactly("3", "4");
        assertThat(results.at("/1/rows/0/doc/n").asInt()).isEqualTo(1);
        assertThat(results.at("/2/rows").findValuesAsText("key")).containsExactly("4");
    }

    @Test
    void pages_by_key_and_id_meet_every_row_once(Db db) {
        db.view("function (doc) { emit(doc.n % 3, null); }");
        db.fill(1, 20);
        List<String> seen = new ArrayList<>(db.query("limit", "4").ids());
        for (int page = 1; page < 5; page++) {
            String last = seen.get(seen.size() - 1);
            int key = Integer.parseInt(last.substring(1)) % 3;
            seen.addAll(db.query("startkey", "" + key, "startkey_docid", last + "\0", "limit", "4")
                    .ids());
        }

        assertThat(seen).isEqualTo(db.query().ids()).hasSize(20);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            key=bare       | 400 bad_request: invalid UTF-8 JSON
            limit=x        | 400 query_parse_error: Invalid value for integer: "x"
            limit=-1       | 400 query_parse_error: Invalid value for positive integer: "-1"
            skip=-1        | 400 query_parse_error: Invalid value for positive integer: "-1"
            reduce=true    | 400 query_parse_error: Reduce is invalid for map-only views.
            group=true     | 400 query_parse_error: Invalid use of grouping on a map view.
            group_level=1  | 400 query_parse_error: Invalid use of grouping on a map view.
            keys=7         | 400 query_parse_error: `keys` must be an array of strings.
            descending=x   | 400 query_parse_error: Invalid boolean parameter: "x\"""")
    void a_query_that_makes_no_sense_is_refused(String query, String error, Db db) {
        db.view(BY_N);

        assertThat(db.get("/_design/t/_view/v?" + query).error()).isEqualTo(error);
    }

    @Test
    void keys_that_are_no_array_are_refused_in_a_body_and_not_read_in_one_of_a_get(Db db) {
        db.view(BY_N);
        JsonNode body = json("{keys: '_local/a'}");

        assertThat(db.post("/_design/t/_view/v", body).error())
                .isEqualTo("400 bad_request: `keys` member must be an array.");
        assertThat(db.sendRaw(
                                "GET",
                                "/_design/t/_view/v",
                                body.toString().getBytes(StandardCharsets.UTF_8),
                                "Content-Type",
                                "application/json")
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"key", "startkey", "start_key", "endkey", "end_key"})
    void several_keys_and_a_range_do_not_go_together(String range, Db db) {
        db.view(BY_N);
        String refused = "400 query_parse_error: `keys` is incompatible with `key`, `start_key` and `end_key`";
        String both = "{keys: [1, 2], %s: 1}".formatted(range);

        assertThat(db.query("keys", "[1,2]", range, "1").error()).isEqualTo(refused);
        assertThat(db.post("/_design/t/_view/v", both).error()).isEqualTo(refused);
        assertThat(db.post("/_design/t/_view/v?" + range + "=1", "{keys: [1, 2]}")
                        .error())
                .isEqualTo(refused);
        assertThat(db.post("/_design/t/_view/v/queries", "{queries: [" + both + "]}")
                        .error())
                .isEqualTo(refused);
        assertThat(db.allDocs("keys", "[\"a\",\"b\"]", range, "\"a\"").error()).isEqualTo(refused);
    }

    @Test
    void any_text_is_found_by_its_key(Db db) {
        db.view("function (doc) { emit(doc.text, null); }");
        List<String> texts = List.of("", " ", "a+b", "a&b=c", "100%", "\"", "\\", "ä漢🎉", "a/b", "null", "\uFFF0");
        for (int i = 0; i < texts.size(); i++) {
            db.save(object().put("_id", "t" + i).put("text", texts.get(i)));
        }

        for (int i = 0; i < texts.size(); i++) {
            assertThat(db.query("key", quoted(texts.get(i))).ids()).containsExactly("t" + i);
        }
    }

    private static String keys(Reply reply) {
        List<String> keys = new ArrayList<>();
        reply.keys().forEach(key -> keys.add(key.toString()));
        return String.join(" ", keys);
    }
}
