package io.couchjobs.engine.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.testing.RawServer;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.ektorp.CouchDbConnector;
import org.ektorp.UpdateConflictException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
class EktorpTest {
    private JobQueue queue;
    private CouchDatabase db;

    @BeforeEach
    void open(TestDatabase fresh) {
        queue = TestQueue.open(fresh);
        db = queue.database();
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void ektorp_stores_documents_on_our_connections() {
        CouchDbConnector ektorp = EktorpTransport.connector(db);

        ektorp.create("_design/own", document("_design/own"));

        assertThat(db.get("_design/own")).isPresent();
        assertThat(ektorp.contains("_design/own")).isTrue();
        assertThatThrownBy(() ->
                        ektorp.create("_design/own", document("_design/own").put("_rev", "1-abc")))
                .isInstanceOf(UpdateConflictException.class);
    }

    @Test
    void ektorp_finds_a_database_with_a_strange_name() {
        CouchDatabase strange = db.server().database(db.name() + "/a+b");
        strange.createIfMissing();
        try {
            EktorpTransport.connector(strange).create("_design/x", document("_design/x"));

            assertThat(strange.get("_design/x")).isPresent();
        } finally {
            strange.delete();
        }
    }

    @Test
    void many_requests_of_ektorp_give_their_connections_back() {
        CouchDbConnector ektorp = EktorpTransport.connector(db);
        ektorp.create("_design/x", document("_design/x"));
        for (int i = 0; i < 3 * db.server().config().maxConnections(); i++) {
            assertThat(ektorp.contains("_design/missing")).isFalse();
            assertThatThrownBy(() ->
                            ektorp.create("_design/x", document("_design/x").put("_rev", "1-abc")))
                    .isInstanceOf(UpdateConflictException.class);
        }
    }

    @Test
    @Timeout(60)
    void a_conflict_whose_reason_never_ends_ends_with_an_error() throws IOException {
        String head = "HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\n\r\n";
        byte[] again = "a".repeat(8192).getBytes(StandardCharsets.US_ASCII);
        RawServer.Script endless = (out, end) -> {
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            while (end.getCount() > 0) {
                out.write(again);
            }
        };
        try (RawServer wire = RawServer.playing(endless);
                CouchServer server =
                        CouchServer.connect(CouchConfig.builder(wire.url()).build())) {
            CouchDbConnector ektorp = EktorpTransport.connector(server.database("db"));

            assertThatThrownBy(() -> ektorp.create("_design/x", document("_design/x")))
                    .isInstanceOf(RuntimeException.class);
        }
    }

    @Test
    void http_client_4_is_not_on_the_class_path() {
        assertThatThrownBy(() -> Class.forName("org.apache.http.client.HttpClient"))
                .isInstanceOf(ClassNotFoundException.class);
        assertThatThrownBy(() -> Class.forName("org.apache.http.impl.client.cache.CachingHttpClient"))
                .isInstanceOf(ClassNotFoundException.class);
        assertThat(org.apache.http.HttpEntity.class).isInterface();
    }

    private static ObjectNode document(String id) {
        return Json.object().put("_id", id);
    }
}
