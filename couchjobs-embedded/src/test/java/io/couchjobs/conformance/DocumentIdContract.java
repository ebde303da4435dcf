package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.object;
import static io.couchjobs.conformance.Json.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Job ids are chosen by users: whatever the text, the document is found again under it. */
abstract class DocumentIdContract {

    static Stream<String> ids() {
        return Stream.of(
                "job:email:42",
                "with space",
                " leading and trailing ",
                "a/b/c",
                "/",
                "a+b",
                "100%",
                "%2F",
                "a%20b",
                "quo\"te",
                "apos'trophe",
                "a?b#c&d=e;f",
                "back\\slash",
                "ümläut",
                "漢字",
                "🎉",
                "{\"json\":[1]}",
                "~!@$^*(),`|<>",
                "a\tb",
                "..",
                "x".repeat(500));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ids")
    void any_id_round_trips_in_a_path(String id, Db db) {
        String path = "/" + Couch.escape(id);
        Reply put = db.put(path, "{n: 1}").expect(201);

        assertThat(put.text("/id")).isEqualTo(id);
        assertThat(db.get(path).expect(200).text("/_id")).isEqualTo(id);
        assertThat(db.get("/_all_docs").ids()).containsExactly(id);

        db.delete(path + "?rev=" + put.rev()).expect(200);
        assertThat(db.get(path).status()).isEqualTo(404);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ids")
    void any_id_round_trips_in_a_body(String id, Db db) {
        db.view("function (doc) { emit(doc._id, null); }");
        ObjectNode batch = object();
        batch.withArray("docs").addObject().put("_id", id);

        assertThat(db.post("/_bulk_docs", batch).expect(201).ids()).containsExactly(id);

        assertThat(db.allDocs("keys", quoted(List.of(id)))
                        .at("/rows/0/value/rev")
                        .asText())
                .startsWith("1-");
        assertThat(db.query("key", quoted(id)).ids()).containsExactly(id);
        assertThat(db.changes("filter", "_doc_ids", "doc_ids", quoted(List.of(id)))
                        .ids())
                .containsExactly(id);
        ObjectNode wanted = object();
        wanted.withArray("docs").addObject().put("id", id);
        assertThat(db.post("/_bulk_get", wanted).text("/results/0/docs/0/ok/_id"))
                .isEqualTo(id);
    }
}
