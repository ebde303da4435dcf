package io.couchjobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.Json;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrashTest {
    private static final int ENOUGH = 600;

    @TempDir
    private Path directory;

    @RepeatedTest(3)
    void a_killed_server_has_lost_nothing_that_it_acknowledged() throws Exception {
        List<String> acknowledged = writeUntilKilled();
        assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(ENOUGH);
        try (EmbeddedCouch couch = EmbeddedCouch.builder().directory(directory).start()) {
            Client client = new Client(couch.url());
            Map<String, String> found = revisions(client, "jobs/_all_docs", "/value/rev");
            assertThat(acknowledged).allSatisfy(line -> {
                String[] idAndRev = line.split(" ", -1);
                assertThat(found).containsEntry(idAndRev[0], idAndRev[1]);
            });
            assertThat(revisions(client, "jobs/_changes", "/changes/0/rev")).isEqualTo(found);
        }
    }

    @Test
    void a_closed_server_goes_on_where_it_was_with_its_views() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.builder().directory(directory).start()) {
            Client client = new Client(couch.url());
            client.send("PUT", "jobs");
            client.send("PUT", "jobs/_design/v", "{\"views\":{\"n\":{\"map\":\"function(d){emit(d.n)}\"}}}");
            client.send("POST", "jobs/_bulk_docs", "{\"docs\":[{\"_id\":\"a\",\"n\":1},{\"_id\":\"b\",\"n\":2}]}");
            client.send("GET", "jobs/_design/v/_view/n");
        }
        try (EmbeddedCouch couch = EmbeddedCouch.builder().directory(directory).start()) {
            Client client = new Client(couch.url());
            assertThat(client.send("GET", "jobs/_design/v/_view/n?update=false").body())
                    .contains("\"total_rows\":2");
            client.send("PUT", "jobs/c", "{\"n\":0}");
            assertThat(client.send("GET", "jobs/_design/v/_view/n").body()).contains("\"total_rows\":3");
        }
    }

    private List<String> writeUntilKilled() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        CrashingWriter.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = process.inputReader()) {
            while (lines.size() < ENOUGH) {
                lines.add(reader.readLine());
            }
            // Through the handle: the process itself would close the pipe before it is read.
            process.toHandle().destroyForcibly();
            // What was in the pipe was acknowledged too; only a last line may be torn.
            List<String> rest = reader.lines().toList();
            lines.addAll(rest.subList(0, Math.max(0, rest.size() - 1)));
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return lines;
    }

    private static Map<String, String> revisions(Client client, String path, String rev) throws Exception {
        JsonNode answer = Json.parse(client.send("GET", path).body());
        Map<String, String> revisions = new HashMap<>();
        for (JsonNode row : answer.has("rows") ? answer.path("rows") : answer.path("results")) {
            revisions.put(row.path("id").asText(), row.at(rev).asText());
        }
        return revisions;
    }
}
