package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The list of all documents by id, in ranges and pages. */
abstract class AllDocsContract {

    @Test
    void a_row_names_the_document_and_its_revision(Db db) {
        String rev = db.save("{_id: 'a'}");

        assertThat(db.allDocs().expect(200).json())
                .isEqualTo(json(
                        "{total_rows: 1, offset: 0, rows: [{id: 'a', key: 'a', value: {rev: '%s'}}]}".formatted(rev)));
    }

    @Test
    void ids_are_ordered_by_their_code_points(Db db) {
        for (String id : List.of("b", "ä", "a", "B", "1", "_design/x", "aa", "-", "🎉", "漢", "~")) {
            db.save(object().put("_id", id));
        }

        assertThat(db.allDocs().ids()).containsExactly("-", "1", "B", "_design/x", "a", "aa", "b", "~", "ä", "漢", "🎉");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            startkey="n03"&endkey="n05"                      | n03 n04 n05
            start_key="n03"&end_key="n05"                    | n03 n04 n05
            startkey="n03"&endkey="n05"&inclusive_end=false  | n03 n04
            startkey="n05"&endkey="n03"&descending=true      | n05 n04 n03
            startkey="n05"                                   | n05 n06
            endkey="n02"                                     | n01 n02
            startkey="n02x"&limit=2                          | n03 n04
            skip=4                                           | n05 n06
            skip=1&limit=2                                   | n02 n03
            descending=true&limit=2                          | n06 n05
            key="n04"                                        | n04
            key="n99"                                        | ^^
            limit=0                                          | ^^
            startkey="n05"&endkey="n03"                      | ^^""")
    void a_range_of_ids(String range, String expected, Db db) {
        db.fill(1, 6);

        Reply reply = db.get("/_all_docs?" + range.replace("\"", "%22")).expect(200);

        assertThat(String.join(" ", reply.ids())).isEqualTo(expected);
    }

    @Test
    void keys_come_in_the_order_asked_for_with_a_row_for_each(Db db) {
        db.fill(1, 3);
        String gone = db.remove("n02", db.read("n02").text("/_rev"));

        Reply reply =
                db.post("/_all_docs", "{keys: ['n03', 'none', 'n02', 'n03']}").expect(200);

        assertThat(reply.keys()).isEqualTo(json("['n03', 'none', 'n02', 'n03']"));
        assertThat(reply.at("/rows/1")).isEqualTo(json("{key: 'none', error: 'not_found'}"));
        assertThat(reply.at("/rows/2/value")).isEqualTo(json("{rev: '%s', deleted: true}".formatted(gone)));
    }

    @Test
    void keys_come_with_their_documents(Db db) {
        db.fill(1, 2);
        db.remove("n02", db.read("n02").text("/_rev"));

        Reply reply = db.post("/_all_docs?include_docs=true", "{keys: ['n01', 'n02', 'none']}");

        assertThat(reply.at("/rows/0/doc/n").asInt()).isEqualTo(1);
        assertThat(reply.at("/rows/1").has("doc")).isTrue();
        assertThat(reply.at("/rows/1/doc").isNull()).isTrue();
        assertThat(reply.at("/rows/2").has("doc")).isFalse();
    }

    @Test
    void a_document_comes_with_its_revision(Db db) {
        String rev = db.save("{_id: 'a', n: 1}");

        assertThat(db.allDocs("include_docs", "true").at("/rows/0/doc"))
                .isEqualTo(json("{_id: 'a', _rev: '%s', n: 1}".formatted(rev)));
    }

    @Test
    void deleted_documents_are_not_listed(Db db) {
        db.fill(1, 2);
        db.remove("n01", db.read("n01").text("/_rev"));

        assertThat(db.allDocs().ids()).containsExactly("n02");
        assertThat(db.allDocs().at("/total_rows").asInt()).isEqualTo(1);
    }

    @Test
    void the_place_of_a_range_in_the_list_is_told(Db db) {
        db.fill(1, 5);

        Reply reply = db.allDocs("startkey", "\"n03\"", "limit", "1");

        assertThat(reply.at("/total_rows").asInt()).isEqualTo(5);
        assertThat(reply.at("/offset").asInt()).isEqualTo(2);
    }

    @Test
    void pages_by_key_meet_every_document_once(Db db) {
        db.fill(1, 10);
        List<String> seen = new ArrayList<>();
        String from = "";
        for (int page = 0; page < 4; page++) {
            seen.addAll(db.allDocs("startkey", Json.quoted(from), "limit", "3").ids());
            from = seen.get(seen.size() - 1) + "\0";
        }

        assertThat(seen).isEqualTo(db.allDocs().ids()).hasSize(10);
        assertThat(db.allDocs("startkey", Json.quoted(from)).rows()).isEmpty();
    }

    @Test
    void a_prefix_of_ids_is_a_range(Db db) {
        for (String id : List.of("job:a:1", "job:a:ü", "job:a:🎉", "job:b:1", "type:a")) {
            db.save(object().put("_id", id));
        }

        assertThat(db.allDocs("startkey", "\"job:a:\"", "endkey", "\"job:a;\"", "inclusive_end", "false")
                        .ids())
                .containsExactly("job:a:1", "job:a:ü", "job:a:🎉");
    }

    @Test
    void several_queries_go_in_one_request(Db db) {
        db.fill(1, 3);

        Reply reply = db.post("/_all_docs/queries", "{queries: [{limit: 1}, {keys: ['n03']}]}")
                .expect(200);

        assertThat(reply.at("/results/0/rows/0/id").asText()).isEqualTo("n01");
        assertThat(reply.at("/results/1/rows/0/id").asText()).isEqualTo("n03");
    }

    @Test
    void the_position_of_the_feed_can_be_asked_for_with_the_list(Db db) {
        db.fill(1, 1);

        String position = db.allDocs("update_seq", "true").text("/update_seq");

        db.fill(2, 2);
        assertThat(db.changes("since", position).ids()).containsExactly("n02");
    }

    @Test
    void design_documents_have_a_list_of_their_own(Db db) {
        db.fill(1, 2);
        db.view("function (doc) { emit(doc._id, null); }");

        assertThat(db.get("/_design_docs").expect(200).ids()).containsExactly("_design/t");
    }
}
