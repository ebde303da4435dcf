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
import org.junit.jupiter.api.Test;

@ServerTest
class SchemaTwinTest {
    @Test
    void java_and_javascript_agree_on_what_is_a_job(TestDatabase database) {
        TestQueue.assumeThatAnythingCanBeStored();
        try (JobQueue queue = TestQueue.open(database)) {
            CouchDatabase documents = queue.database();
            List<String> stored = CornerDocuments.all().stream()
                    .filter(document -> isStored(documents, document))
                    .map(document -> document.path("_id").asText())
                    .toList();
            Set<String> malformed = malformedByJavaScript(documents);

            assertThat(stored).as("documents compared").hasSizeGreaterThan(500);
            assertThat(malformed).as("refused by JavaScript").hasSizeGreaterThan(100);
            assertThat(documents.getAll(stored).stream().map(Optional::orElseThrow))
                    .as("documents on which they agree")
                    .noneMatch(document -> isMalformedByJava(document)
                            != malformed.contains(document.path("_id").asText()));
        }
    }

    /** A server refuses some of these documents. */
    private static boolean isStored(CouchDatabase documents, ObjectNode document) {
        try {
            return documents.put(document) instanceof WriteResult.Stored;
        } catch (CouchException e) {
            return false;
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
