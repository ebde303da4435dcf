package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.job.Job;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.testing.CornerDocuments;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

@ServerTest
@SuppressWarnings({"try", "deprecation"})
class SchemaTwinTest {
    @Test
    void java_and_javascript_agree_on_what_is_a_job(TestDatabase database) throws Exception {
        TestQueue.assumeThatAnythingCanBeStored();
        ObjectMapper mapper = new ObjectMapper();
        List<ObjectNode> docs = CornerDocuments.all();
        List<String> differences = new ArrayList<>();
        try (JobQueue queue = TestQueue.open(database)) {
            List<ObjectNode> stored = new ArrayList<>();
            for (ObjectNode doc : docs) {
                try {
                    if (queue.database().put(doc) instanceof io.couchjobs.couch.WriteResult.Stored) stored.add(doc);
                } catch (RuntimeException refused) {
                    // Not every document that this test thinks of is one for a server.
                }
            }
            Set<String> malformed = new HashSet<>();
            String design = new DesignDocuments(queue.database())
                    .installed().stream()
                            .filter(d -> d.startsWith("lists-"))
                            .findFirst()
                            .orElseThrow();
            queue.database()
                    .view(io.couchjobs.couch.ViewQuery.of(design, "malformed"))
                    .rows()
                    .forEach(r -> malformed.add(String.valueOf(r.id())));
            for (ObjectNode doc : stored) {
                boolean java;
                ObjectNode read = queue.database().get(doc.path("_id").asText()).orElseThrow();
                try {
                    Job.parse(read);
                    java = true;
                } catch (MalformedDocumentException e) {
                    java = false;
                }
                boolean javascript = !malformed.contains(doc.path("_id").asText());
                if (java != javascript) {
                    differences.add((java ? "Java" : "JavaScript") + " alone accepts "
                            + mapper.writer()
                                    .with(com.fasterxml.jackson.core.JsonGenerator.Feature.ESCAPE_NON_ASCII)
                                    .writeValueAsString(doc));
                }
            }
            assertThat(stored).as("documents compared").hasSizeGreaterThan(500);
            assertThat(malformed).as("refused by JavaScript").hasSizeGreaterThan(100);
        }
        assertThat(differences).isEmpty();
    }
}
