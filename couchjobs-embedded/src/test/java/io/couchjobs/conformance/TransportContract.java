package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** HTTP itself: sizes, encodings, kinds of bodies. */
abstract class TransportContract {
    private static final String JSON = "application/json";

    @Test
    void a_compressed_request_is_understood(Db db) {
        byte[] body = gzip("{\"n\":1}");

        Reply reply = db.sendRaw("PUT", "/a", body, "Content-Type", JSON, "Content-Encoding", "gzip");

        assertThat(reply.status()).isEqualTo(201);
        assertThat(db.read("a").at("/n").asInt()).isEqualTo(1);
    }

    @Test
    void a_compressed_batch_is_understood(Db db) {
        byte[] body = gzip("{\"docs\":[{\"_id\":\"a\"},{\"_id\":\"b\"}]}");

        Reply reply = db.sendRaw("POST", "/_bulk_docs", body, "Content-Type", JSON, "Content-Encoding", "gzip");

        assertThat(reply.expect(201).ids()).containsExactly("a", "b");
    }

    @Test
    void a_request_that_only_claims_to_be_compressed_is_refused(Db db) {
        Reply reply = db.sendRaw("PUT", "/a", utf8("{}"), "Content-Type", JSON, "Content-Encoding", "gzip");

        assertThat(reply.error()).isEqualTo("400 bad_request: Request body is not properly gzipped.");
    }

    @Test
    void an_unknown_compression_is_refused(Db db) {
        Reply reply = db.sendRaw("PUT", "/a", utf8("{}"), "Content-Type", JSON, "Content-Encoding", "br");

        assertThat(reply.error()).isEqualTo("415 bad_content_type: br is not a supported content encoding.");
    }

    @Test
    void a_request_of_unknown_length_is_understood(Db db) {
        var body = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(utf8("{\"n\":1}")));

        Reply reply = db.couch()
                .send(db.couch().request("PUT", db.path() + "/a", body).header("Content-Type", JSON));

        assertThat(reply.status()).isEqualTo(201);
        assertThat(db.read("a").at("/n").asInt()).isEqualTo(1);
    }

    @Test
    void a_client_may_wait_to_be_asked_for_the_body(Db db) {
        Reply reply = db.couch()
                .send(db.couch()
                        .request("PUT", db.path() + "/a", BodyPublishers.ofString("{\"n\":1}"))
                        .header("Content-Type", JSON)
                        .expectContinue(true));

        assertThat(reply.status()).isEqualTo(201);
    }

    @Test
    void a_client_that_closes_its_connection_is_told_that_it_was_understood(Db db) throws IOException {
        assertThat(db.couch().headForOneRequest()).containsIgnoringCase("\r\nConnection: close");
    }

    @Test
    void a_document_of_a_megabyte_round_trips(Db db) {
        String text = "ä漢🎉 ".repeat(100_000);
        db.save(object().put("_id", "a").put("text", text));

        assertThat(db.read("a").text("/text")).isEqualTo(text);
    }

    @Test
    void a_document_of_nine_megabytes_is_refused(Db db) {
        Reply reply = db.put("/a", object().put("text", "x".repeat(9_000_000)));

        assertThat(reply.error()).isEqualTo("413 document_too_large: ");
        assertThat(db.read("a").status()).isEqualTo(404);
    }

    @Test
    void a_batch_may_be_larger_than_any_document(Db db) {
        var batch = object();
        for (int n = 0; n < 12; n++) {
            batch.withArray("docs").addObject().put("_id", "d" + n).put("text", "x".repeat(1_000_000));
        }

        assertThat(db.post("/_bulk_docs", batch).expect(201).rows())
                .allMatch(row -> row.path("ok").asBoolean());
    }

    @Test
    void a_long_answer_arrives_whole(Db db) {
        var batch = object();
        for (int n = 0; n < 2000; n++) {
            batch.withArray("docs").addObject().put("_id", "d" + n).put("text", "ä".repeat(500));
        }
        db.post("/_bulk_docs", batch).expect(201);

        assertThat(db.allDocs("include_docs", "true").rows()).hasSize(2000);
        assertThat(db.changes("include_docs", "true").rows()).hasSize(2000);
    }

    @Test
    void a_document_of_deep_nesting_round_trips(Db db) {
        var deep = Json.json("[".repeat(200) + "]".repeat(200));
        db.save(object().put("_id", "a").set("deep", deep));

        assertThat(db.read("a").at("/deep")).isEqualTo(deep);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] gzip(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(utf8(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
