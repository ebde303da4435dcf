package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.UrlPath;
import io.couchjobs.testing.NeedsOneCopy;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("server")
class DocumentsTest {

    @RegisterExtension
    static final TestServer COUCH = new TestServer();

    private final CouchDatabase db = COUCH.database();

    @Test
    @NeedsOneCopy("a copy that has not heard of the document takes it as a new one")
    void each_document_of_a_bulk_write_has_a_result_of_its_own_in_order() {
        WriteResult.Stored first = stored(db.put(doc("bulk-1").put("n", 1)));

        List<WriteResult> results = db.bulkDocs(List.of(
                doc("bulk-2"),
                doc("bulk-1").put("n", 2),
                doc("bulk-1").put("_rev", first.rev()).put("n", 3)));

        assertThat(results).extracting(WriteResult::id).containsExactly("bulk-2", "bulk-1", "bulk-1");
        assertThat(results.get(0)).isInstanceOf(WriteResult.Stored.class);
        assertThat(results.get(1)).isEqualTo(new WriteResult.Conflict("bulk-1"));
        assertThat(results.get(2)).isInstanceOf(WriteResult.Stored.class);
        assertThat(db.get("bulk-1").orElseThrow().path("n").asInt()).isEqualTo(3);
    }

    @Test
    @NeedsOneCopy("a copy that has not heard of the document takes it as a new one")
    void a_document_that_exists_is_a_conflict_without_its_revision() {
        db.put(doc("single"));

        assertThat(db.put(doc("single"))).isEqualTo(new WriteResult.Conflict("single"));
    }

    @Test
    void attachments_are_listed_and_read_by_their_names() {
        ObjectNode document = doc("attached");
        for (String name : List.of("a/b.txt", "page.png")) {
            document.withObject("/_attachments")
                    .putObject(name)
                    .put("content_type", "text/plain")
                    .put("data", name.getBytes(StandardCharsets.UTF_8));
        }
        db.put(document);
        db.put(doc("bare"));

        assertThat(db.attachmentNames("attached")).containsExactlyInAnyOrder("a/b.txt", "page.png");
        assertThat(db.attachment("attached", "a/b.txt")).contains("a/b.txt".getBytes(StandardCharsets.UTF_8));
        assertThat(db.attachment("attached", "other")).isEmpty();
        assertThat(db.attachment("missing", "page.png")).isEmpty();
        assertThat(db.attachmentNames("bare")).isEmpty();
        assertThat(db.attachmentNames("missing")).isEmpty();
    }

    @Test
    void a_revision_is_stored_as_it_is_whatever_leaves_there_are() {
        WriteResult.Stored own = stored(db.put(doc("as-it-is").put("n", 1)));
        ObjectNode other = doc("as-it-is").put("_rev", "7-" + "a".repeat(32)).put("n", 2);
        other.putObject("_revisions").put("start", 7).putArray("ids").add("a".repeat(32));

        db.bulkRevisions(List.of(other));
        db.bulkRevisions(List.of(other));
        db.bulkRevisions(List.of());

        assertThat(db.leaves("as-it-is"))
                .extracting(leaf -> leaf.path("_rev").asText())
                .containsExactlyInAnyOrder(own.rev(), "7-" + "a".repeat(32));
    }

    @Test
    void a_missing_and_a_deleted_document_are_empty() {
        WriteResult.Stored stored = stored(db.put(doc("gone")));
        WriteResult.Stored deleted =
                stored(db.put(doc("gone").put("_rev", stored.rev()).put("_deleted", true)));

        assertThat(db.get("gone")).isEmpty();
        assertThat(db.get("never-there")).isEmpty();
        assertThat(db.get("never-there", "1-967a00dff5e02add41819138abb3284d")).isEmpty();
        assertThat(db.get("gone", deleted.rev()).orElseThrow().path("_deleted").asBoolean())
                .isTrue();
    }

    @Test
    void many_documents_come_in_the_order_asked_for() {
        WriteResult.Stored old = stored(db.put(doc("all-2")));
        db.bulkDocs(List.of(doc("all-1"), doc("all-2").put("_rev", old.rev()).put("_deleted", true), doc("all-3")));

        List<Optional<ObjectNode>> docs = db.getAll(List.of("all-3", "all-2", "no such", "all-1", "all-3"));

        assertThat(docs)
                .extracting(doc -> doc.map(found -> found.path("_id").asText()).orElse("-"))
                .containsExactly("all-3", "-", "-", "all-1", "all-3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a/b",
                "a+b",
                "a%2Fb",
                "100%",
                "a b",
                "a?b=c&d",
                "a#b",
                "äöü-\u65e5\u672c-\ud83d\ude00",
                "a\"b\\c",
                ".",
                "..",
                "job:email:42",
                "a\tb",
                "a;b,c=d@e!$'()*",
                "_design/a/b c+%",
                "_local/x/y"
            })
    void any_id_finds_its_own_document_again(String id) {
        WriteResult result = db.put(doc(id));

        assertThat(result.id()).isEqualTo(id);
        assertThat(db.get(id).orElseThrow().path("_id").asText()).isEqualTo(id);
        if (!id.startsWith("_local/")) {
            assertThat(db.getAll(List.of(id)).get(0)).isPresent();
        }
    }

    @Test
    void numbers_come_back_as_they_were() {
        BigInteger huge = new BigInteger("123456789012345678901234567890");
        ObjectNode doc = doc("numbers")
                .put("long", Long.MAX_VALUE)
                .put("negative", Long.MIN_VALUE)
                .put("tenth", 0.1)
                .put("tiny", Double.MIN_NORMAL)
                .put("great", Double.MAX_VALUE)
                .put("huge", huge);
        db.put(doc);

        ObjectNode read = db.get("numbers").orElseThrow();
        read.remove("_rev");

        assertThat(read).isEqualTo(doc);
    }

    @Test
    void a_number_that_json_does_not_have_is_refused_before_it_is_sent() {
        assertThatThrownBy(() -> db.put(doc("nan").put("x", Double.NaN)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NaN");
        assertThat(db.get("nan")).isEmpty();
    }

    @Test
    @NeedsOneCopy("a validation function is not in force at each copy yet when its document has been written")
    void a_document_that_a_validation_function_forbids_is_refused_and_the_others_are_stored() {
        db.put(doc("_design/validation")
                .put(
                        "validate_doc_update",
                        "function (doc) { if (doc.evil) throw({forbidden: 'no evil'});"
                                + " if (doc.secret) throw({unauthorized: 'not for you'}); }"));

        List<WriteResult> results = db.bulkDocs(List.of(
                doc("evil").put("evil", true), doc("good"), doc("secret").put("secret", true)));

        assertThat(results.get(0)).isEqualTo(new WriteResult.Refused("evil", 403, "forbidden", "no evil"));
        assertThat(results.get(1)).isInstanceOf(WriteResult.Stored.class);
        assertThat(results.get(2)).isEqualTo(new WriteResult.Refused("secret", 401, "unauthorized", "not for you"));
        assertThat(db.put(doc("evil").put("evil", true)))
                .isEqualTo(new WriteResult.Refused("evil", 403, "forbidden", "no evil"));
        assertThat(db.put(doc("secret").put("secret", true)))
                .isEqualTo(new WriteResult.Refused("secret", 401, "unauthorized", "not for you"));
    }

    @Test
    void a_missing_database_is_said_to_be_missing() {
        CouchDatabase missing = COUCH.server().database("couch-client-not-there");

        assertThat(missing.exists()).isFalse();
        assertThatThrownBy(() -> missing.get("x"))
                .isInstanceOf(CouchNotFoundException.class)
                .hasMessageContaining("GET /couch-client-not-there/x: 404 not_found: Database does not exist.");
        assertThatThrownBy(() -> missing.bulkDocs(List.of(doc("x")))).isInstanceOf(CouchNotFoundException.class);
        assertThatThrownBy(() -> missing.put(doc("x"))).isInstanceOf(CouchNotFoundException.class);
        assertThatThrownBy(() -> missing.getAll(List.of("x"))).isInstanceOf(CouchNotFoundException.class);
    }

    @Test
    void a_field_that_couchdb_reserves_is_refused() {
        assertThat(db.put(doc("reserved").put("_mine", 1)))
                .isInstanceOfSatisfying(WriteResult.Refused.class, refused -> assertThat(refused.status())
                        .isEqualTo(400));
        assertThatThrownBy(() -> db.bulkDocs(List.of(doc("reserved").put("_mine", 1))))
                .isInstanceOfSatisfying(CouchException.class, failed -> assertThat(failed.status())
                        .isEqualTo(400));
    }

    @Test
    void a_document_without_an_id_is_not_sent() {
        assertThatThrownBy(() -> db.put(Json.object())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> db.bulkDocs(List.of(Json.object().put("_id", 7))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_document_shows_its_conflicts_and_all_its_leaves() {
        String one = "1-" + "a".repeat(32);
        String other = "1-" + "b".repeat(32);
        ObjectNode gone = doc("torn").put("_rev", "1-" + "c".repeat(32)).put("_deleted", true);
        replicate(doc("torn").put("_rev", one), doc("torn").put("_rev", other).put("n", 5), gone);

        ObjectNode winner = db.getWithConflicts("torn").orElseThrow();
        assertThat(winner.path("n").asInt()).isEqualTo(5);
        assertThat(Json.texts(winner.path("_conflicts"))).containsExactly(one);
        assertThat(db.leaves("torn"))
                .hasSize(3)
                .contains(winner.without("_conflicts"))
                .anyMatch(leaf -> leaf.path("_deleted").asBoolean());
    }

    @Test
    void the_leaves_of_many_documents_come_in_one_answer_in_order() {
        String one = "1-" + "a".repeat(32);
        ObjectNode gone = doc("split").put("_rev", "1-" + "c".repeat(32)).put("_deleted", true);
        replicate(doc("split").put("_rev", one), gone);
        stored(db.put(doc("plain")));

        List<Optional<List<ObjectNode>>> leaves = db.leavesOfAll(List.of("plain", "split", "nowhere"));

        assertThat(leaves).hasSize(3);
        assertThat(leaves.get(0)).hasValue(db.leavesWithHistories("plain"));
        assertThat(leaves.get(1).orElseThrow())
                .extracting(leaf -> leaf.path("_rev").asText())
                .containsExactlyInAnyOrder(one, "1-" + "c".repeat(32));
        assertThat(leaves.get(2)).hasValue(List.of());
        assertThat(db.leavesOfAll(List.of())).isEmpty();
    }

    @Test
    void the_same_one_of_several_leaves_is_read_with_many_documents_as_alone() {
        String nine = "9-" + "f".repeat(32);
        String ten = "10-" + "a".repeat(32);
        String otherTen = "10-" + "b".repeat(32);
        replicate(
                doc("winners").put("_rev", nine),
                doc("winners").put("_rev", otherTen),
                doc("winners").put("_rev", ten),
                doc("winners").put("_rev", "11-" + "c".repeat(32)).put("_deleted", true));

        assertThat(db.getAll(List.of("winners"))).containsExactly(db.get("winners"));
        assertThat(db.get("winners").orElseThrow().path("_rev").asText()).isEqualTo(otherTen);
    }

    @Test
    void a_document_without_conflicts_does_not_mention_any() {
        stored(db.put(doc("whole")));
        assertThat(db.getWithConflicts("whole").orElseThrow().has("_conflicts")).isFalse();
        assertThat(db.leaves("whole")).isEqualTo(List.of(db.get("whole").orElseThrow()));
        assertThat(db.getWithConflicts("never-there")).isEmpty();
        assertThat(db.leaves("never-there")).isEmpty();
        CouchDatabase missing = COUCH.server().database("couch-client-missing");
        assertThatThrownBy(() -> missing.leaves("x")).isInstanceOf(CouchNotFoundException.class);
    }

    @Test
    void a_database_has_at_least_one_copy_of_each_document() {
        assertThat(db.info().copies()).isPositive();
    }

    private static void replicate(ObjectNode... revisions) {
        ObjectNode body = Json.object().put("new_edits", false);
        body.set("docs", Json.value(revisions));
        UrlPath path = UrlPath.ROOT.segment(COUCH.database().name()).segment("_bulk_docs");
        COUCH.server().http().exchange(Call.write("POST", path, Json.bytes(body)), Answer::array);
    }

    private static ObjectNode doc(String id) {
        return Json.object().put("_id", id);
    }

    private static WriteResult.Stored stored(WriteResult result) {
        assertThat(result).isInstanceOf(WriteResult.Stored.class);
        return (WriteResult.Stored) result;
    }
}
