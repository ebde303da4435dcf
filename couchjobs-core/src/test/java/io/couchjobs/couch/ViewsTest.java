package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.testing.NeedsOneCopy;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("server")
class ViewsTest {

    @RegisterExtension
    static final TestServer COUCH = new TestServer();

    private static final ViewQuery BY_KIND = ViewQuery.of("test", "by kind").reduce(false);

    private final CouchDatabase db = COUCH.database();

    @BeforeAll
    static void fill() {
        ObjectNode design = Json.object().put("_id", "_design/test");
        design.putObject("views")
                .putObject("by kind")
                .put("map", "function (doc) { emit([doc.kind, doc.n], {rev: doc._rev}); }")
                .put("reduce", "_count");
        COUCH.database().put(design);
        COUCH.database()
                .bulkDocs(IntStream.range(0, 6)
                        .mapToObj(n -> Json.object()
                                .put("_id", "d" + n)
                                .put("kind", n % 2 == 0 ? "even" : "odd")
                                .put("n", n))
                        .toList());
    }

    @Test
    void a_range_of_keys_comes_in_order() {
        ViewResult result =
                db.view(BY_KIND.startKey("even", 2).endKey("even", Map.of()).limit(10));

        assertThat(result.totalRows()).isEqualTo(6);
        assertThat(result.offset()).isEqualTo(1);
        assertThat(result.rows()).extracting(ViewResult.Row::id).containsExactly("d2", "d4");
        assertThat(result.rows().get(0).key()).isEqualTo(Json.value(List.of("even", 2)));
        assertThat(result.rows().get(0).value().path("rev").asText()).startsWith("1-");
        assertThat(result.rows().get(0).doc()).isNull();
    }

    @Test
    void every_way_to_narrow_a_view_narrows_it() {
        assertThat(ids(BY_KIND.key("odd", 3))).containsExactly("d3");
        assertThat(ids(BY_KIND.keys(List.of(List.of("odd", 5), List.of("even", 0)))))
                .containsExactly("d5", "d0");
        assertThat(ids(BY_KIND.startKey("odd", 1).endKey("odd", 5).inclusiveEnd(false)))
                .containsExactly("d1", "d3");
        assertThat(ids(BY_KIND.descending(true).limit(2))).containsExactly("d5", "d3");
        assertThat(ids(BY_KIND.skip(4))).containsExactly("d3", "d5");
    }

    @Test
    void documents_are_included_when_asked_for() {
        ViewResult result = db.view(BY_KIND.key("odd", 3).includeDocs(true));

        assertThat(result.rows().get(0).doc().path("n").asInt()).isEqualTo(3);
    }

    @Test
    void a_view_is_reduced_in_whole_and_in_groups() {
        ViewQuery counts = ViewQuery.of("_design/test", "by kind");

        assertThat(db.view(counts).rows().get(0).value().asInt()).isEqualTo(6);
        assertThat(db.view(counts).totalRows()).isEqualTo(-1);
        assertThat(db.view(counts.groupLevel(1)).rows())
                .extracting(row -> row.key().get(0).asText() + row.value())
                .containsExactly("even3", "odd3");
        assertThat(db.view(counts.group(true)).rows()).hasSize(6);
    }

    @Test
    void several_queries_are_answered_in_order() {
        List<ViewResult> results = db.views(List.of(BY_KIND.key("odd", 1), BY_KIND.key("none", 1), BY_KIND.limit(1)));

        assertThat(results).extracting(result -> result.rows().size()).containsExactly(1, 0, 1);
        assertThatThrownBy(() -> db.views(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> db.views(List.of(BY_KIND, ViewQuery.allDocs())))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void all_documents_are_a_view_too() {
        assertThat(ids(ViewQuery.allDocs().startKey("d1").endKey("d2"))).containsExactly("d1", "d2");
        assertThat(db.view(ViewQuery.allDocs().keys(List.of("d1", "missing")))
                        .rows()
                        .get(1)
                        .error())
                .contains("not_found");
        assertThat(db.views(List.of(
                        ViewQuery.allDocs().key("d1"), ViewQuery.allDocs().key("d2"))))
                .hasSize(2);
    }

    @Test
    @NeedsOneCopy("the copy that is asked as it is may be another one than that which was brought up to date")
    void an_index_may_be_asked_as_it_is() {
        CouchDatabase own = COUCH.server().database(db.name() + "-stale");
        own.createIfMissing();
        try {
            ObjectNode design = db.get("_design/test").orElseThrow();
            design.remove("_rev");
            own.put(design.put("autoupdate", false));
            own.put(Json.object().put("_id", "x").put("kind", "even"));

            assertThat(own.view(BY_KIND.update(ViewQuery.Update.FALSE)).rows()).isEmpty();
            assertThat(own.view(BY_KIND.update(ViewQuery.Update.LAZY)).rows()).hasSizeLessThan(2);
            assertThat(own.view(BY_KIND.update(ViewQuery.Update.TRUE)).rows()).hasSize(1);
            assertThat(own.view(BY_KIND.update(ViewQuery.Update.FALSE)).rows()).hasSize(1);
        } finally {
            own.delete();
        }
    }

    @Test
    void a_missing_view_is_said_to_be_missing() {
        assertThatThrownBy(() -> db.view(ViewQuery.of("test", "nothing")))
                .isInstanceOfSatisfying(CouchNotFoundException.class, missing -> assertThat(missing.reason())
                        .isEqualTo("missing_named_view"));
        assertThatThrownBy(() -> db.view(ViewQuery.of("nothing", "nothing")))
                .isInstanceOf(CouchNotFoundException.class);
    }

    private List<String> ids(ViewQuery query) {
        return db.view(query).rows().stream().map(ViewResult.Row::id).toList();
    }
}
