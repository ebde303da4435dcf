package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Attachments that others put on a job: a queue only has to keep them through its own writes. */
abstract class AttachmentContract {

    @Test
    void an_inline_attachment_comes_back_as_a_stub(Db db) {
        db.save(withHello("a"));

        JsonNode stub = db.read("a").at("/_attachments/note.txt");

        assertThat(stub.path("stub").asBoolean()).isTrue();
        assertThat(stub.path("content_type").asText()).isEqualTo("text/plain");
        assertThat(stub.path("length").asInt()).isEqualTo(5);
        assertThat(stub.path("revpos").asInt()).isEqualTo(1);
        assertThat(stub.path("digest").asText()).startsWith("md5-");
    }

    @Test
    void an_attachment_can_be_asked_for_inline(Db db) {
        db.save(withHello("a"));

        JsonNode whole =
                db.get("/a?attachments=true", "Accept", "application/json").at("/_attachments/note.txt");

        assertThat(whole.path("data").asText()).isEqualTo("aGVsbG8=");
        assertThat(whole.has("stub")).isFalse();
    }

    @Test
    void an_attachment_can_be_read_alone(Db db) {
        db.save(withHello("a"));

        Reply reply = db.get("/a/note.txt").expect(200);

        assertThat(reply.bytes()).asString(StandardCharsets.UTF_8).isEqualTo("hello");
        assertThat(reply.header("Content-Type")).isEqualTo("text/plain");
    }

    @Test
    void a_write_that_carries_the_stub_keeps_the_attachment(Db db) {
        db.save(withHello("a"));
        ObjectNode doc = (ObjectNode) db.read("a").json();

        db.save(doc.put("n", 2));

        assertThat(db.get("/a/note.txt").bytes())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("hello");
        assertThat(db.read("a").at("/n").asInt()).isEqualTo(2);
    }

    @Test
    void a_bulk_write_that_carries_the_stub_keeps_the_attachment(Db db) {
        db.save(withHello("a"));
        ObjectNode batch = object();
        batch.putArray("docs").add(((ObjectNode) db.read("a").json()).put("n", 2));

        assertThat(db.post("/_bulk_docs", batch).at("/0/ok").asBoolean()).isTrue();

        assertThat(db.get("/a/note.txt").status()).isEqualTo(200);
    }

    @Test
    void a_write_without_the_stub_drops_the_attachment(Db db) {
        String rev = db.save(withHello("a"));
        db.save("{_id: 'a', _rev: '%s'}".formatted(rev));

        assertThat(db.get("/a/note.txt").error()).isEqualTo("404 not_found: Document is missing attachment");
    }

    @Test
    void a_stub_of_nothing_is_refused(Db db) {
        Reply reply = db.put("/a", json("{_attachments: {'note.txt': {stub: true, content_type: 'text/plain'}}}"));

        assertThat(reply.errorKind()).isEqualTo("412 missing_stub");
    }

    @Test
    void a_stub_of_what_another_document_has_is_refused(Db db) {
        db.save(withHello("a"));

        assertThat(db.put("/b", object().set("_attachments", stubs(db))).error())
                .isEqualTo(noStubIn("b"));
        assertThat(db.put("/b?new_edits=false", object("{_rev: '1-aaaa'}").set("_attachments", stubs(db)))
                        .error())
                .isEqualTo(noStubIn("b"));
        assertThat(db.read("b").status()).isEqualTo(404);
    }

    @Test
    void a_batch_with_a_stub_of_nothing_is_refused_as_a_whole(Db db) {
        db.save(withHello("a"));
        ObjectNode batch = object("{docs: [{_id: 'c', _rev: '1-cccc'}, {_id: 'b', _rev: '1-bbbb'}]}");
        ((ObjectNode) batch.at("/docs/1")).set("_attachments", stubs(db));

        assertThat(db.post("/_bulk_docs", batch.put("new_edits", false)).error())
                .isEqualTo(noStubIn("b"));
        batch.at("/docs").forEach(doc -> ((ObjectNode) doc).remove("_rev"));
        assertThat(db.post("/_bulk_docs", batch.put("new_edits", true)).error()).isEqualTo(noStubIn("b"));

        assertThat(db.read("c").status()).isEqualTo(404);
    }

    @Test
    void a_stub_of_another_generation_is_refused(Db db) {
        String rev = db.save(withHello("a"));

        assertThat(db.put("/a?rev=" + rev, "{_attachments: {'note.txt': {stub: true, revpos: 3}}}")
                        .error())
                .isEqualTo(noStubIn("a"));
        assertThat(db.put("/a?rev=" + rev, "{_attachments: {'note.txt': {stub: true}}}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void an_attachment_that_is_attached_anew_has_the_generation_of_its_revision(Db db) {
        String rev = db.save(withHello("a"));
        ObjectNode again = withHello("a").put("_rev", rev);
        ((ObjectNode) again.at("/_attachments/note.txt")).put("revpos", 1);

        db.save(again);

        assertThat(db.read("a").at("/_attachments/note.txt/revpos").asInt()).isEqualTo(2);
    }

    @Test
    void an_attachment_that_is_replicated_keeps_its_generation(Db db) {
        db.graft("a", "{_attachments: {x: {data: 'AAAA', revpos: 1}, y: {data: 'AAAA'}}}", "bbbb", "aaaa");

        assertThat(db.read("a").at("/_attachments/x/revpos").asInt()).isEqualTo(1);
        assertThat(db.read("a").at("/_attachments/y/revpos").asInt()).isZero();
    }

    @Test
    void the_name_of_an_attachment_does_not_begin_with_an_underscore(Db db) {
        String refused = "400 bad_request: Attachment name '_x' starts with prohibited character '_'";
        String doc = "{_id: 'a', _attachments: {_x: {data: 'AAAA'}}}";

        assertThat(db.put("/a", doc).error()).isEqualTo(refused);
        assertThat(db.post("/_bulk_docs", "{docs: [{_id: 'b'}, " + doc + "]}").error())
                .isEqualTo(refused);
        assertThat(db.sendRaw("PUT", "/a/_x", new byte[] {1}, "Content-Type", "application/x-b")
                        .error())
                .isEqualTo(refused);
        assertThat(db.allDocs().rows()).isEmpty();
    }

    @Test
    void an_attachment_is_a_stub_or_has_data(Db db) {
        String refused = "400 bad_request: Invalid attachment data for x";

        assertThat(db.put("/a", "{_attachments: {x: {}}}").error()).isEqualTo(refused);
        assertThat(db.put("/a", "{_attachments: {x: {data: '###'}}}").error()).isEqualTo(refused);
        assertThat(db.put("/a", "{_attachments: []}").error())
                .isEqualTo("400 doc_validation: Bad special document member: _attachments");
    }

    @Test
    void base_64_may_have_white_space_and_needs_its_padding(Db db) {
        db.put("/a", object().set("_attachments", json("{x: {data: 'aGVs\\r\\n\\tbG8 =\\n'}}")))
                .expect(201);
        assertThat(db.get("/a/x").bytes()).isEqualTo("hello".getBytes(StandardCharsets.UTF_8));

        for (String data : List.of("aGVsbG8", "AA", "AA=", "A", "AA===", "AA==AAAA", "AA-_")) {
            ObjectNode doc = object("{_attachments: {x: {}}}");
            ((ObjectNode) doc.at("/_attachments/x")).put("data", data);
            assertThat(db.put("/b", doc).error()).isEqualTo("400 bad_request: Invalid attachment data for x");
        }
    }

    @Test
    void an_attachment_can_be_put_and_deleted_alone(Db db) {
        String first = db.save("{_id: 'a'}");

        Reply put = db.sendRaw("PUT", "/a/b.bin?rev=" + first, new byte[] {0, 1, -1}, "Content-Type", "application/x-b")
                .expect(201);
        assertThat(put.rev()).startsWith("2-");
        assertThat(db.get("/a/b.bin").bytes()).containsExactly(0, 1, -1);

        assertThat(db.delete("/a/b.bin?rev=" + put.rev()).expect(200).rev()).startsWith("3-");
        assertThat(db.read("a").json().has("_attachments")).isFalse();
    }

    @Test
    void an_attachment_is_put_at_the_current_revision_only(Db db) {
        db.save("{_id: 'a'}");

        assertThat(db.sendRaw("PUT", "/a/b.bin", new byte[] {1}, "Content-Type", "application/x-b")
                        .errorKind())
                .isEqualTo("409 conflict");
    }

    private static String noStubIn(String id) {
        return "412 missing_stub: Invalid attachment stub in " + id + " for note.txt";
    }

    /** The stubs of document {@code a}. */
    private static JsonNode stubs(Db db) {
        return db.read("a").at("/_attachments");
    }

    private static ObjectNode withHello(String id) {
        return object("{_attachments: {'note.txt': {content_type: 'text/plain', data: 'aGVsbG8='}}}")
                .put("_id", id);
    }
}
