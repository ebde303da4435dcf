package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.job.Job;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.testing.CornerDocuments;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@ServerTest
class SchemaTwinTest {
    @Test
    void java_and_javascript_agree_on_what_is_a_job(TestDatabase database) {
        TestQueue.assumeThatAnythingCanBeStored();
        try (JobQueue queue = TestQueue.open(database)) {
            CouchDatabase documents = queue.database();
            List<String> stored = stored(documents, CornerDocuments.all()).toList();
            Set<String> malformed = malformedByJavaScript(documents);

            assertThat(stored).as("documents compared").hasSizeGreaterThan(500);
            assertThat(malformed).as("refused by JavaScript").hasSizeGreaterThan(100);
            assertThat(documents.getAll(stored).stream().map(Optional::orElseThrow))
                    .as("documents on which they agree")
                    .noneMatch(document -> isMalformedByJava(document)
                            != malformed.contains(document.path("_id").asText()));
        }
    }

    /** A server refuses some of these documents, and all of a request for one of them. */
    private static Stream<String> stored(CouchDatabase database, List<ObjectNode> documents) {
        try {
            return database.bulkDocs(documents).stream()
                    .filter(WriteResult.Stored.class::isInstance)
                    .map(WriteResult::id);
        } catch (CouchException e) {
            int half = documents.size() / 2;
            return half == 0
                    ? Stream.empty()
                    : Stream.concat(
                            stored(database, documents.subList(0, half)),
                            stored(database, documents.subList(half, documents.size())));
        }
    }

    private static Set<String> malformedByJavaScript(CouchDatabase documents) {
        String design = new DesignDocuments(documents)
                .installed().stream()
                        .filter(name -> name.startsWith("lists-"))
                        .findFirst()
                        .orElseThrow();
        return documents.view(ViewQuery.of(design, "malformed")).rows().stream()
                .map(row -> String.valueOf(row.id()))
                .collect(Collectors.toSet());
    }

    private static boolean isMalformedByJava(ObjectNode document) {
        try {
            Job unused = Job.parse(document);
            return false;
        } catch (MalformedDocumentException e) {
            return true;
        }
    }
}
