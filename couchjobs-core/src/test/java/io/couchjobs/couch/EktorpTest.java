package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.couch.Json;
import org.ektorp.CouchDbConnector;
import org.ektorp.DocumentNotFoundException;
import org.ektorp.UpdateConflictException;
import org.ektorp.ViewQuery;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("server")
class EktorpTest {

    @RegisterExtension
    static final TestServer COUCH = new TestServer();

    private final CouchDatabase db = COUCH.database();

    @Test
    void ektorp_reads_and_writes_documents_on_our_connections() {
        CouchDbConnector ektorp = db.ektorp();
        ObjectNode doc = Json.object().put("_id", "type:a/b+c%").put("timeout", 7);

        ektorp.create(doc);
        ObjectNode read = ektorp.get(ObjectNode.class, "type:a/b+c%");
        ektorp.update(read.put("timeout", 8));

        assertThat(db.get("type:a/b+c%").orElseThrow().path("timeout").asInt()).isEqualTo(8);
        assertThatThrownBy(() -> ektorp.update(read.put("_rev", "1-abc"))).isInstanceOf(UpdateConflictException.class);
        assertThatThrownBy(() -> ektorp.get(ObjectNode.class, "missing")).isInstanceOf(DocumentNotFoundException.class);
        assertThat(ektorp.find(ObjectNode.class, "missing")).isNull();
        assertThat(ektorp.contains("type:a/b+c%")).isTrue();
    }

    @Test
    void ektorp_writes_design_documents_and_asks_their_views() {
        CouchDbConnector ektorp = db.ektorp();
        ObjectNode design = Json.object().put("_id", "_design/ektorp");
        design.putObject("views").putObject("v").put("map", "function (doc) { if (doc.e) emit(doc.e, null); }");
        ektorp.create(design);
        db.put(Json.object().put("_id", "e1").put("e", "one"));

        assertThat(ektorp.queryView(
                                new ViewQuery().designDocId("_design/ektorp").viewName("v"))
                        .getRows())
                .extracting(row -> row.getId())
                .containsExactly("e1");
        assertThat(ektorp.getDesignDocInfo("ektorp").getName()).isEqualTo("ektorp");
    }

    @Test
    void ektorp_finds_a_database_with_a_strange_name() {
        CouchDatabase strange = COUCH.server().database(db.name() + "/a+b");
        strange.createIfMissing();
        try {
            strange.ektorp().create(Json.object().put("_id", "x"));

            assertThat(strange.get("x")).isPresent();
        } finally {
            strange.delete();
        }
    }

    @Test
    void many_requests_of_ektorp_give_their_connections_back() {
        CouchDbConnector ektorp = db.ektorp();
        for (int i = 0; i < 3 * COUCH.server().config().maxConnections(); i++) {
            assertThat(ektorp.find(ObjectNode.class, "missing")).isNull();
            assertThat(ektorp.contains("missing")).isFalse();
            ektorp.getAllDocIds();
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
}
