package io.couchjobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server says of each endpoint that it does not have that it is not there, and the guide lists them. */
class NotBuiltTest {
    private EmbeddedCouch couch;
    private Client client;

    @BeforeEach
    void start() throws Exception {
        couch = EmbeddedCouch.inMemory().start();
        client = new Client(couch.url());
        client.send("PUT", "db");
    }

    @AfterEach
    void close() {
        couch.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "_cluster_setup",
                "_nouveau_analyze",
                "_reload_query_servers",
                "_replicate",
                "_reshard",
                "_scheduler/jobs",
                "_search_analyze",
                "_utils/",
                "_node/_local/_stats",
                "_node/_local/_system",
                "db/_auto_purge",
                "db/_explain",
                "db/_find",
                "db/_index",
                "db/_nouveau_cleanup",
                "db/_partition/p/_all_docs",
                "db/_purged_infos",
                "db/_search_cleanup",
                "db/_sync_shards",
                "db/_temp_view",
                "db/_design/d/_list/l/v",
                "db/_design/d/_nouveau/i",
                "db/_design/d/_nouveau_info/i",
                "db/_design/d/_rewrite/x",
                "db/_design/d/_search/i",
                "db/_design/d/_search_disk_size/i",
                "db/_design/d/_search_info/i",
                "db/_design/d/_show/s",
                "db/_design/d/_update/u"
            })
    void an_endpoint_that_is_not_built_says_so_and_is_in_the_guide(String path) throws Exception {
        for (String method : new String[] {"GET", "POST"}) {
            HttpResponse<String> answer = client.send(method, path, "{}");

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(501);
            assertThat(answer.body()).contains("not_implemented", "does not have", "docs/embedded.md");
        }
        String name =
                path.replaceAll("^(db/)?(_design/d/)?(_node/_local/)?", "").replaceAll("/.*", "");
        assertThat(Files.readString(Path.of("../docs/embedded.md"))).contains("`" + name + "`");
    }

    @Test
    void a_document_is_neither_copied_nor_sent_in_parts() throws Exception {
        client.send("PUT", "db/a", "{}");

        assertThat(client.send("COPY", "db/a").statusCode()).isEqualTo(501);
        assertThat(client.send("GET", "db/_nothing").statusCode()).isEqualTo(404);
    }
}
