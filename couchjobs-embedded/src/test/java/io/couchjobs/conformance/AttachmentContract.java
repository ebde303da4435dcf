package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
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

    private static ObjectNode withHello(String id) {
        return object("{_attachments: {'note.txt': {content_type: 'text/plain', data: 'aGVsbG8='}}}")
                .put("_id", id);
    }
}
